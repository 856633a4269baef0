import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerCache } from "./answerCache.ts";
import { FINALITY_LIFETIME, FinalizedHeight } from "./finalizedHeight.ts";

const FINALIZED = { current: 0x64, forget: () => {} };

test("answers at blocks that are finalized are kept, and at later ones not", async () => {
  const cache = new AnswerCache(FINALIZED, async () => 0);
  const asked = async (method: string, params: unknown[]) => {
    let count = 0;
    for (let times = 0; times < 3; times++) await cache.get(method, params, async () => String(++count));
    return count;
  };

  for (const block of ["0x64", "0x0", "0x1F", { blockNumber: "0x64" }]) {
    assert.equal(await asked("eth_getBalance", ["0xaa", block]), 1);
    assert.equal(await asked("eth_call", [{ to: "0xaa" }, block]), 1);
    assert.equal(await asked("eth_getProof", ["0xaa", [], block]), 1);
    assert.equal(await asked("eth_getUncleByBlockNumberAndIndex", [block, "0x0"]), 1);
  }
  for (const block of ["0x65", "latest", "finalized", "0x", "0x064", undefined, null, 1, { blockNumber: "0x65" }]) {
    assert.equal(await asked("eth_getBalance", ["0x1", block]), 3, JSON.stringify(block));
  }
  assert.equal(await asked("eth_getStorageAt", ["0xaa", "0x0", "latest"]), 3, "a slot is no block");
  assert.equal(await asked("eth_blockNumber", ["0x1", "0x1"]), 3);
});

test("no answer of a branch that is gone is kept", async () => {
  let [branch, count] = [0, 0];
  const cache = new AnswerCache(FINALIZED, async () => branch);
  const get = (method: string, ...params: unknown[]) => cache.get(method, params, async () => String(++count));
  const replaceMeanwhile = () =>
    cache.get("eth_getCode", ["0xaa", "0x1"], async () => {
      branch++;
      await get("eth_getBalance", "0xaa", "0x1");
      return "of before";
    });

  assert.deepEqual([await get("eth_getBalance", "0xaa", "0x1"), await get("web3_sha3", "0x")], ["1", "2"]);
  branch++;

  assert.deepEqual([await get("eth_getBalance", "0xaa", "0x1"), await get("web3_sha3", "0x")], ["3", "4"]);
  for (let times = 0; times < 2; times++) assert.equal(await get("eth_getBalance", "0xaa", "0x1"), "5");
  assert.equal(await replaceMeanwhile(), "of before");
  assert.equal(await get("eth_getCode", "0xaa", "0x1"), "7");
});

test("the finalized height is refreshed in the background and never falls", async () => {
  let [now, asked] = [0, 0];
  const answers = ['{"number":"0x20"}', '{"number":"0x10"}', "null", '{"number":"0x30"}'];
  const ask = async () => answers[asked++] ?? Promise.reject(new Error("no such tag"));
  const finalized = new FinalizedHeight(ask, () => now);
  const settled = async () => {
    void finalized.current;
    await new Promise(setImmediate);
    return finalized.current;
  };

  assert.equal(finalized.current, -1);
  assert.deepEqual([await settled(), asked], [0x20, 1]);
  for (const expected of [0x20, 0x20, 0x30, 0x30]) {
    now += FINALITY_LIFETIME;
    assert.equal(await settled(), expected);
  }
  assert.equal(asked, 5);
});
