import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { ProgramOptions } from "./support/program.ts";
import { childrenOf, get, LAUNCHER, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { Honest } from "./support/trial.ts";
import { until } from "./support/waiting.ts";

/** Moments of a start that it is ended at. */
const MOMENTS = Number(process.env.ORIEL_CASES ?? 3);

async function openChain(t: TestContext, blocks: number, seed = 21) {
  const chain = new SimulatedChain({ seed });
  chain.mine(blocks);
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  const data = temporaryDirectory(t);
  const start = (options: ProgramOptions = {}, rpc = node.url) =>
    runProgram(t, ["start", "--rpc", rpc, "--data", data, "--port", "0", "--poll", "50"], options);
  return { chain, node, data, start };
}

function atHead(url: string, chain: SimulatedChain): Promise<void> {
  const isThere = async () => {
    const { body } = await get(`${url}/status`);
    return (body.indexed as { hash: string } | null)?.hash === chain.head.hash;
  };
  return until(`${chain.head.number} is indexed`, isThere);
}

test("start serves at once, indexes to the head and follows new blocks and a reorg", async (t) => {
  const { chain, start } = await openChain(t, 60);
  const program = start();
  const url = await program.url();
  assert.equal((await get(`${url}/health`)).status, 200);

  await atHead(url, chain);
  chain.mine(5);
  await atHead(url, chain);
  chain.fork(9, 11);
  await atHead(url, chain);

  for (const number of [0, 30, chain.head.number - 3, chain.head.number]) {
    const { status, body } = await get(`${url}/api/v2/blocks/${number}`);
    assert.deepEqual([status, body.hash], [200, chain.at(number)!.hash]);
  }
  await until("it is ready", async () => (await get(`${url}/ready`)).status === 200);
  const { code, stderr } = await program.stop("SIGTERM");
  assert.deepEqual([code, stderr], [143, ""]);
});

test("another first block than that of the index has no effect, and a line says what to do", async (t) => {
  const { chain, node, data, start } = await openChain(t, 12);
  const first = start();
  await atHead(await first.url(), chain);
  await first.stop();
  const from = (block: string) =>
    runProgram(t, ["start", "--rpc", node.url, "--data", data, "--port", "0", "--poll", "50", "--from-block", block]);

  const same = from("0");
  await atHead(await same.url(), chain);
  await same.stop();
  const other = from("7");
  await atHead(await other.url(), chain);

  const line = `--from-block 7 has no effect: the index in ${data} begins at block 0; leave the setting out, or choose another --data`;
  assert.ok(other.stdout.includes(line), other.stdout);
  assert.doesNotMatch(same.stdout, /no effect/);
});

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} to the launcher ends both with ${code}`, async (t) => {
    const { start } = await openChain(t, 5);
    const program = start({ script: LAUNCHER });
    const url = await program.url();

    const ending = await program.stop(signal);

    assert.deepEqual([ending.code, ending.stderr], [code, ""]);
    await assert.rejects(fetch(`${url}/health`));
  });
}

test("one press of Ctrl-C in a terminal, which the launcher passes on again, closes every file", async (t) => {
  const { start, data, chain } = await openChain(t, 5);
  const program = start({ script: LAUNCHER, isGroup: true });
  await atHead(await program.url(), chain);

  process.kill(-program.child.pid!, "SIGINT");
  const { code, stderr } = await program.ended;

  assert.deepEqual([code, stderr], [130, ""]);
  assert.deepEqual(readdirSync(data).sort(), ["access-token", "contracts.sqlite", "index.sqlite", "lock"]);
});

test("a signal at any moment of the start of an embedded chain ends it", async (t) => {
  for (let moment = 0; moment < MOMENTS; moment++) {
    const wait = 200 + Math.round((1000 * moment) / MOMENTS);
    const args = ["start", "--network", "mainnet", "--data", temporaryDirectory(t), "--port", "0"];
    const program = runProgram(t, args);
    await delay(wait);
    const hangs = delay(10_000, undefined, { ref: false });
    const ending = await Promise.race([program.stop("SIGINT"), hangs]);
    assert.ok(ending, `it went on after a signal that came ${wait} ms after the start: ${program.stdout}`);
  }
});

test("a signal while the node keeps the program waiting ends it at once", async (t) => {
  const { node, start } = await openChain(t, 5);
  node.faults.set({ transport: ["hang"] });
  const program = start({ script: LAUNCHER });
  await until("the node is asked", () => node.requests.length > 0);
  const before = performance.now();

  const { code, stderr } = await program.stop("SIGTERM");

  assert.deepEqual([code, stderr], [143, ""]);
  assert.ok(performance.now() - before < 5000);
});

test("killing the launcher ends the program too, and the index can be used again", async (t) => {
  const { start, data, chain } = await openChain(t, 5);
  const program = start({ script: LAUNCHER });
  const url = await program.url();
  const [worker] = childrenOf(program.child.pid!);
  assert.ok(worker);
  t.after(() => isAlive(worker) && process.kill(worker, "SIGKILL"));

  await program.stop("SIGKILL");
  await until("the program ends", () => !isAlive(worker));

  await assert.rejects(fetch(`${url}/health`));
  await atHead(await start().url(), chain);
  await new Honest([chain]).expectIn(data);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("with an index and without a node it serves the index, and continues when the node returns", async (t) => {
  const { chain, node, data, start } = await openChain(t, 20);
  const first = start();
  await atHead(await first.url(), chain);
  await first.stop();
  node.faults.set({ transport: ["unavailable"] });
  chain.mine(3);

  const program = start();
  const url = await program.url();
  const { status, body } = await get(`${url}/api/v2/blocks/20`);
  const ready = await get(`${url}/ready`);
  assert.deepEqual([status, body.hash, ready.status], [200, chain.at(20)!.hash, 503]);
  assert.match(program.stdout, /the node does not answer yet/);

  node.faults.clear();
  await atHead(url, chain);
  await until("it is ready", async () => (await get(`${url}/ready`)).status === 200);
  await new Honest([chain]).expectIn(data);
});

test("what needs the node says so within a second where the node is gone", async (t) => {
  const { chain, node, start } = await openChain(t, 20);
  const program = start();
  const url = await program.url();
  await atHead(url, chain);
  const at = (path: string) => get(`${url}/api/v2/${path}`);
  await node.close();
  const started = performance.now();

  const account = await at("addresses/0x1212121212121212121212121212121212121212");
  const transaction = await at(`transactions/0x${"12".repeat(32)}`);

  assert.ok(performance.now() - started < 5000);
  assert.deepEqual([account.status, account.body.coin_balance], [200, null]);
  assert.equal(transaction.status, 503);
});

test("without a terminal progress is a line every few seconds, and no key is ever shown", async (t) => {
  const { chain, node, start } = await openChain(t, 30);
  const secret = node.url.replace("://", "://someone:passw0rd@").concat("/v3/secretkey?token=othersecret");
  const program = start({}, secret);
  const url = await program.url();
  await atHead(url, chain);
  node.faults.set({ transport: ["unavailable"] });
  await until("it says that it waits", () => /indexing is waiting/.test(program.stdout), 60);
  node.faults.clear();
  chain.mine(1);
  await atHead(url, chain);
  await until("the new block is shown", () => program.stdout.includes(`block ${chain.head.number} of`));

  const status = JSON.stringify((await get(`${url}/status`)).body);
  const { stdout, stderr } = await program.stop();
  assert.match(stdout, /^block \d+ of 30, \d+ transactions/m);
  assert.ok(!stdout.includes("\r") && !stdout.includes("\x1b"));
  assert.doesNotMatch(stdout + stderr + status, /passw0rd|secretkey|othersecret/);
});

test("it continues when its output pipe is closed", async (t) => {
  const { chain, start } = await openChain(t, 20);
  const program = start();
  const url = await program.url();
  await atHead(url, chain);
  program.child.stdout!.destroy();

  for (const depth of [2, 3]) {
    chain.fork(depth, depth + 1);
    await atHead(url, chain);
  }

  const { code, stderr } = await program.stop("SIGTERM");
  assert.deepEqual([code, stderr], [143, ""]);
});

test("a full disk pauses indexing with one line; reads continue and nothing is lost", async (t) => {
  const { chain, data, start } = await openChain(t, 40, 31);
  const limited = start({ limit: "-f 3200" });
  const url = await limited.url();
  await atHead(url, chain);
  chain.mine(500);
  await until("it says so", () => /indexing is waiting: /.test(limited.stdout));

  await delay(1500);
  assert.equal(limited.stdout.match(/indexing is/g)?.length, 1, limited.stdout);
  assert.match(limited.stdout, /the database cannot be written/);
  const { status, body } = await get(`${url}/status`);
  const indexed = (body.indexed as { number: number }).number;
  assert.ok(status === 200 && indexed >= 40 && indexed < 540, `${status} ${indexed}`);
  const block = await get(`${url}/api/v2/blocks/30`);
  assert.deepEqual([block.status, block.body.hash], [200, chain.at(30)!.hash]);
  assert.equal((await get(`${url}/ready`)).status, 503);
  const { code, stderr } = await limited.stop();
  assert.deepEqual([code, stderr], [143, ""]);
  const kept = (await new Honest([chain]).expectIn(data))!.number;
  assert.ok(kept >= indexed && kept < 540, `${kept} after ${indexed}`);

  const free = start();
  await atHead(await free.url(), chain);
  await free.stop();
  const tip = await new Honest([chain]).expectIn(data);
  assert.equal(tip?.number, chain.head.number);
});
