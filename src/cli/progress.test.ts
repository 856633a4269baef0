import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, ProgressLine } from "./progress.ts";
import { Screen } from "./screen.ts";

/** A line with captured output and a manual clock. */
function openLine(isTTY: boolean) {
  const clock = { now: 0 };
  const output = {
    isTTY,
    text: "",
    write(text: string) {
      this.text += text;
    },
  };
  const screen = new Screen(output);
  return { clock, output, screen, line: new ProgressLine(screen, { now: () => clock.now }) };
}

const at = (indexed: number, head = 1000) => ({ head, indexed, transactions: indexed * 2 });

test("without a terminal there is a line at once and then one every five seconds", () => {
  const { clock, output, line } = openLine(false);
  for (; clock.now <= 10_000; clock.now += 100) line.progress(at(clock.now / 100));

  assert.deepEqual(output.text.split("\n"), [
    "block 0 of 1000, 0 transactions",
    "block 50 of 1000, 100 transactions, 10 blocks/s, 1 min 35 s left",
    "block 100 of 1000, 200 transactions, 10 blocks/s, 1 min 30 s left",
    "",
  ]);
});

test("on a terminal one line is drawn over, a few times a second, and ends before another", () => {
  const { clock, output, screen, line } = openLine(true);
  for (; clock.now <= 500; clock.now += 50) line.progress(at(clock.now / 50));
  line.line("serving");
  line.end();
  screen.end();

  assert.equal(output.text.split("\r\x1b[K").length, 4);
  assert.match(output.text, /block 10 of 1000, 20 transactions, 20 blocks\/s, 50 s left\nserving\n$/);
});

test("at the head there is a line a minute at most, and one soon after it was reached", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { clock, output, line } = openLine(false);
  for (let block = 0; block <= 600; block++) {
    const head = Math.max(block, 100);
    line.progress(at(block, head));
    clock.now += 1000;
    t.mock.timers.tick(1000);
  }
  line.end();

  const shown = [...output.text.matchAll(/^block (\d+) of (\d+)/gm)].map(([, block]) => Number(block));
  const [caughtUp, ...later] = shown.filter((block) => block >= 95);
  assert.ok(caughtUp! <= 100, `${caughtUp}`);
  assert.deepEqual(
    later,
    Array.from({ length: 8 }, (_, at) => caughtUp! + 60 * (at + 1)),
  );
});

test("the same block is not shown twice", () => {
  const { clock, output, line } = openLine(false);
  line.progress(at(1000));
  clock.now = 60_000;
  line.progress(at(1000));

  assert.equal(output.text, "block 1000 of 1000, 2000 transactions\n");
});

test("what came too soon to be shown is shown in its time, the newest alone, and not after the end", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { clock, output, line } = openLine(false);
  const pass = (milliseconds: number) => {
    clock.now += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  line.progress(at(898));
  pass(1000);
  line.progress(at(899));
  line.progress(at(900));
  pass(3999);
  assert.equal(output.text, "block 898 of 1000, 1796 transactions\n");
  pass(1);
  assert.match(output.text, /transactions\nblock 900 of 1000, 1800 transactions, 0\.4 blocks\/s, 4 min 10 s left\n$/);

  line.progress(at(1001, 1001));
  line.end();
  pass(10_000);
  assert.doesNotMatch(output.text, /1001/);
});

test("each stretch of catching up has a rate of its own", () => {
  const { clock, output, line } = openLine(false);
  line.progress(at(1000));
  clock.now = 3_600_000;
  line.progress(at(1001, 2000));
  clock.now += 5000;
  line.progress(at(1011, 2000));

  assert.match(output.text, /block 1011 of 2000, 2022 transactions, 2\.0 blocks\/s, 8 min 15 s left\n$/);
});

test("every state but the normal one is printed", () => {
  const { output, line } = openLine(true);
  line.progress(at(1));
  line.state({ state: "running" });
  line.state({ state: "waiting", code: "store_full", message: "the disk is full" });

  assert.match(output.text, /transactions\nindexing is waiting: the disk is full\n$/);
});

test("a flapping node is reported once a minute, and so is that indexing continues", () => {
  const { clock, output, line } = openLine(false);
  for (; clock.now < 120_000; clock.now += 1000) {
    line.state(clock.now % 2000 === 0 ? { state: "waiting", message: "another branch" } : { state: "running" });
  }

  assert.deepEqual(output.text.split("\n"), [
    "indexing is waiting: another branch",
    "indexing goes on",
    "indexing is waiting: another branch",
    "indexing goes on",
    "",
  ]);
});

test("what happens to the index is a line each", () => {
  const { output, line } = openLine(false);
  line.event({ kind: "unwound", from: 10, to: 7, milliseconds: 3.2 });
  line.event({ kind: "derived", stage: "tokens", blocks: 500, milliseconds: 1200 });
  line.event({ kind: "cleared", code: "deep_reorg", milliseconds: 5 });

  assert.deepEqual(output.text.split("\n"), [
    "reorg: 3 blocks taken back in 4 ms, from 10 to 7",
    "tokens of 500 blocks derived in 1200 ms",
    "index cleared in 5 ms to begin again: the chain went back further than can be undone",
    "",
  ]);
});

test("several networks share the last line of a terminal, and each line says whose it is", () => {
  const output = {
    isTTY: true,
    columns: 50,
    text: "",
    write(text: string) {
      this.text += text;
    },
  };
  const screen = new Screen(output);
  const [one, two] = ["mainnet", "testnet"].map((name) => new ProgressLine(screen, { name, now: () => 0 }));

  one!.progress(at(3, 3));
  two!.progress(at(5, 5));
  two!.line("hello");
  screen.end();

  assert.deepEqual(output.text.replaceAll("\r\x1b[K", "\n").split("\n"), [
    "",
    "mainnet: block 3 of 3, 6 transactions",
    "mainnet: block 3 of 3, 6 transactions | testnet: ",
    "testnet: hello",
    "",
  ]);
});

test("durations are short to read and never have sixty of anything", () => {
  const shown = [0.2, 59.5, 60, 119.7, 3599.9, 3600, 7199, 86_399, 86_400, 172_799].map(duration);

  assert.deepEqual(shown, [
    "1 s",
    "1 min 0 s",
    "1 min 0 s",
    "2 min 0 s",
    "1 h 0 min",
    "1 h 0 min",
    "2 h 0 min",
    "1 d 0 h",
    "1 d 0 h",
    "2 d 0 h",
  ]);
});
