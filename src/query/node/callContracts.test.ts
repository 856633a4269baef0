import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallOutcome, ContractCall } from "../../chain/source.ts";
import { callContracts, contractCall } from "./callContracts.ts";

const AT = { number: 1, hash: new Uint8Array(32) };
const contract = (at: number) => new Uint8Array(20).fill(at);
const callOf = (at: number) => contractCall(contract(at), "fee()");

/** A node that never answers a batch in which one of some contracts is called. */
function nodeThatHangs(hanging: ReadonlySet<number>, batches: number[]): Parameters<typeof callContracts>[0] {
  const calls = async (batch: readonly ContractCall[]): Promise<CallOutcome[]> => {
    batches.push(batch.length);
    if (batch.some(({ to }) => hanging.has(to[0]!))) return new Promise(() => {});
    return batch.map(({ to }) => new Uint8Array(32).fill(to[0]!, 31));
  };
  return { node: { readThrough: { calls } } };
}

test("equal calls are asked once, in one batch", async () => {
  const batches: number[] = [];
  const wordsOf = await callContracts(nodeThatHangs(new Set(), batches), [1, 2, 1].map(callOf), AT);

  assert.deepEqual(
    [1, 2].map((at) => wordsOf(callOf(at))),
    [[1n], [2n]],
  );
  assert.deepEqual(batches, [2]);
});

test("a contract that hangs takes the answers of no other", async () => {
  const all = Array.from({ length: 60 }, (_, at) => at + 1);
  const wordsOf = await callContracts(nodeThatHangs(new Set([7, 60]), []), all.map(callOf), AT);

  assert.deepEqual(
    all.filter((at) => wordsOf(callOf(at)).length === 0),
    [7, 60],
  );
});

test("without a node there are no words", async () => {
  const wordsOf = await callContracts({ node: undefined }, [callOf(1)], AT);

  assert.deepEqual(wordsOf(callOf(1)), []);
});
