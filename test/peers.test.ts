import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Script } from "node:vm";
import { parse } from "yaml";
import { compareBalances, PlainBalances, positive } from "../bench/support/peers/balances.ts";
import { parseStat } from "../bench/support/peers/processTree.ts";
import { SMALL, SyntheticBlocks } from "../bench/support/syntheticBlocks.ts";
import { matcher } from "../bench/support/upstreamLogs.ts";
import { plainLedger } from "./support/plainLedger.ts";

const PEERS = join(import.meta.dirname, "../bench/peers");

const read = (path: string) => readFileSync(join(PEERS, path), "utf8");

test("the files of peers parse, and their packages have exact versions", () => {
  const files = globSync("**/*.{js,ts,json,yaml}", { cwd: PEERS });
  assert.ok(files.length >= 10);
  for (const path of files) {
    const text = read(path);
    if (path.endsWith(".js")) new Script(text, { filename: path });
    if (path.endsWith(".ts")) assert.ok(stripTypeScriptTypes(text).length > 0, path);
    if (path.endsWith(".yaml")) assert.ok(parse(text), path);
    if (!path.endsWith(".json")) continue;
    const manifest = JSON.parse(text) as Record<"dependencies" | "optionalDependencies", Record<string, string>>;
    const packages = { ...manifest.dependencies, ...manifest.optionalDependencies };
    for (const version of Object.values(packages)) assert.match(version, /^\d+\.\d+\.\d+$/, path);
    assert.doesNotMatch(text, /https?:/, path);
  }
});

test("the balances that peers are held to are those of the ledger", () => {
  const blocks = new SyntheticBlocks(5, { ...SMALL, addresses: 50, fresh: 0.1, tokens: 4 });
  const receipts = Array.from({ length: 8 }, () => JSON.parse(blocks.next().receipts));
  const plain = new PlainBalances();

  for (const one of receipts) plain.add(one);

  const ledger = plainLedger({
    length: receipts.length,
    at: (block: number) => ({ receipts: receipts[block] }),
  } as never);
  const amounts = [...ledger].flatMap(([token, { balances }]) =>
    [...balances].map(([holder, amount]) => [`${token} ${holder}`, amount] as const),
  );
  const expected = new Map(amounts.filter(([, amount]) => amount !== 0n));
  const transfers = [...ledger.values()].reduce((sum, token) => sum + token.transfers, 0);
  assert.ok(transfers > 100);
  assert.deepEqual(new Map([...plain.amounts].sort()), new Map([...expected].sort()));
  assert.equal(plain.transfers, transfers);
  assert.deepEqual(plain.tokens().sort(), [...ledger.keys()].sort());
});

test("a wrong, a missing and an additional balance are found, and a transfer that was lost", () => {
  const right = {
    amounts: new Map([
      ["a x", 1n],
      ["a y", 2n],
      ["a z", -3n],
    ]),
    transfers: 4,
  };
  const wrong = {
    amounts: new Map([
      ["a x", 1n],
      ["a y", 3n],
      ["a w", 5n],
    ]),
    transfers: 3,
  };

  assert.deepEqual(compareBalances(right, right), []);
  assert.deepEqual(compareBalances(right, wrong), [
    "a y: 3 instead of 2",
    "a z: nothing instead of -3",
    "a w: 5 instead of nothing",
    "3 transfers instead of 4",
  ]);
  assert.deepEqual([...positive(right).amounts.keys()], ["a x", "a y"]);
});

test("the node of the benchmarks chooses logs as a node does", () => {
  const log = { address: "0xaa", topics: ["0x01", "0x02"] };

  assert.ok(matcher({})(log));
  assert.ok(matcher({ address: ["0xAA", "0xbb"], topics: [null, ["0x03", "0x02"]] })(log));
  assert.ok(matcher({ address: [], topics: [[]] })(log));
  assert.ok(!matcher({ address: "0xbb" })(log));
  assert.ok(!matcher({ topics: ["0x02"] })(log));
  assert.ok(!matcher({ topics: [null, null, null] })(log));
});

test("the CPU of a process has that of children that ended", () => {
  const stat = "12 (a (b) c) S 3 12 12 0 -1 4194560 100 0 0 0 7 5 30 20 20 0 1 0 100";

  assert.deepEqual(parseStat(stat), { parent: 3, cpuMs: 620 });
});
