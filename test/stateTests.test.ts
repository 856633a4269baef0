import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { temporaryDirectory } from "./support/program.ts";

const ROOT = resolve(import.meta.dirname, "..");

function run(folder: string, ...args: string[]) {
  const env = { ...process.env, ORIEL_STATE_TESTS: folder };
  return spawnSync("node", ["bin/node.js", "conformance/states/main.ts", ...args], {
    cwd: ROOT,
    env,
    encoding: "utf8",
  });
}

const SENDER = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b";
const NO_LOGS = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";

/** The sender of the public state tests calls code. */
function calling(code: Hex, post: object): object {
  return {
    env: {
      currentCoinbase: `0x${"c0".repeat(20)}`,
      currentNumber: "0x1",
      currentTimestamp: "0x3e8",
      currentGasLimit: "0x1000000",
      currentBaseFee: "0x7",
      currentRandom: `0x${"07".repeat(32)}`,
    },
    pre: {
      [SENDER]: { balance: "0xde0b6b3a7640000", nonce: "0x0", code: "0x", storage: {} },
      [`0x${"cc".repeat(20)}`]: { balance: "0x0", nonce: "0x1", code, storage: {} },
    },
    transaction: {
      data: ["0x"],
      gasLimit: ["0x100000"],
      value: ["0x0"],
      gasPrice: "0x7",
      nonce: "0x0",
      to: `0x${"cc".repeat(20)}`,
      secretKey: "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8",
    },
    post,
  };
}

function write(t: TestContext, code: Hex, expected: object, fork = "Cancun"): string {
  const folder = temporaryDirectory(t);
  const indexes = { data: 0, gas: 0, value: 0 };
  const post = { [fork]: [{ indexes, hash: `0x${"00".repeat(32)}`, logs: NO_LOGS, ...expected }] };
  writeFileSync(join(folder, "one.json"), JSON.stringify({ one: calling(code, post) }));
  return folder;
}

test("a state test passes with its root, fails with another, and need not end", (t) => {
  const storing: Hex = "0x600160005500";
  const failed = run(write(t, storing, {}));
  assert.equal(failed.status, 1);
  const [, root] = /^one\.json one Cancun d0g0v0: state root (0x[0-9a-f]{64}), not 0x0{64}$/m.exec(failed.stdout)!;

  const passed = run(write(t, storing, { hash: root }));
  assert.deepEqual([passed.status, /^all +1\/1$/m.test(passed.stdout)], [0, true], passed.stdout);
  const refused = run(write(t, storing, { hash: root, expectException: "TransactionException.TYPE" }));
  assert.deepEqual([refused.status, /accepted, instead of/.test(refused.stdout)], [1, true], refused.stdout);
  const late = run(write(t, storing, { hash: root }), "--limit", "0");
  assert.deepEqual([late.status, /1 took too long$/m.test(late.stdout)], [1, true], late.stdout);
});

test("without state tests nothing runs, and no case at all is a failure", (t) => {
  const absent = run(join(ROOT, "nowhere"));
  assert.deepEqual([absent.status, /skipped/.test(absent.stdout)], [0, true]);
  const later = run(write(t, "0x00", {}, "Verkle"));
  assert.deepEqual([later.status, /Verkle +unknown fork, 1 not run/.test(later.stdout)], [1, true], later.stdout);
});
