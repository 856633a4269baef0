import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, ContractCall, Source } from "../../chain/source.ts";
import { HeadWatch } from "./headWatch.ts";
import { MAX_ASKED, NodeBalances } from "./nodeBalances.ts";
import { ReadThrough } from "./readThrough.ts";

const at = (fill: number) => ({ number: fill, hash: new Uint8Array(32).fill(fill) });
const holderAt = (index: number) => ({ token: address(0xcc), holder: address(index) });

function address(index: number): Uint8Array {
  const bytes = new Uint8Array(20);
  new DataView(bytes.buffer).setUint32(16, index);
  return bytes;
}

/** A node with balances by `answer`, counting requests. */
function balancesBy(answer: (holder: number) => CallOutcome): { balances: NodeBalances; batches: number[] } {
  const batches: number[] = [];
  const call = async (calls: readonly ContractCall[]) => {
    batches.push(calls.length);
    return calls.map(({ data }) => answer(new DataView(data.buffer).getUint32(32)));
  };
  const source: Source = { ...simulatedSource(new SimulatedChain({ seed: 1 })), call };
  return { balances: new NodeBalances(new ReadThrough(source, new HeadWatch(source))), batches };
}

const word = (value: number) => {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, value);
  return bytes;
};

test("a balance is asked once for each block", async () => {
  const { balances, batches } = balancesBy((holder) => word(holder * 2));
  const holders = [1, 2, 3].map(holderAt);

  const first = await balances.read(holders, at(1));
  const second = await balances.read([...holders, holderAt(4)], at(1));
  const third = await balances.read(holders, at(2));

  assert.deepEqual(
    [first, second, third],
    [
      [2n, 4n, 6n],
      [2n, 4n, 6n, 8n],
      [2n, 4n, 6n],
    ],
  );
  assert.deepEqual(batches, [3, 1, 3]);
});

test("a balance is read again after a new head", async () => {
  let notify = () => {};
  let balance = 1;
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 1 })),
    call: async () => [word(balance++)],
    watch: (listener) => {
      const others = notify;
      notify = () => {
        others();
        listener();
      };
    },
  };
  const balances = new NodeBalances(new ReadThrough(source, new HeadWatch(source)));

  const first = await balances.read([holderAt(1)], at(1));
  notify();

  assert.deepEqual([first, await balances.read([holderAt(1)], at(1))], [[1n], [2n]]);
});

test("those who ask the same at one time share a question", async () => {
  const { balances, batches } = balancesBy(word);
  const holders = [1, 2, 3].map(holderAt);

  await Promise.all([balances.read(holders, at(1)), balances.read(holders, at(1)), balances.read(holders, at(1))]);

  assert.deepEqual(batches, [3]);
});

test("no more than a bounded number is asked for one answer", async () => {
  const { balances, batches } = balancesBy(word);
  const holders = Array.from({ length: 1000 }, (_, index) => holderAt(index));

  const values = await balances.read(holders, at(1));

  assert.deepEqual(batches, [MAX_ASKED]);
  assert.deepEqual(values.filter((value) => value !== undefined).length, MAX_ASKED);
});

test("what a token does not say is kept, what a node could not say is asked again", async () => {
  const failure = new ChainError("upstream_unavailable", "busy");
  const outcomes: CallOutcome[] = ["reverted", new Uint8Array(0), failure, word(7)];
  const { balances, batches } = balancesBy((holder) => outcomes[holder]!);
  const holders = [0, 1, 2, 3].map(holderAt);

  const first = await balances.read(holders, at(1));
  await balances.read(holders, at(1));

  assert.deepEqual(first, [undefined, undefined, undefined, 7n]);
  assert.deepEqual(batches, [4, 1]);
});

test("a node that fails altogether is no failure of the reader", async () => {
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 1 })),
    call: () => Promise.reject(new Error("socket hang up")),
  };
  const balances = new NodeBalances(new ReadThrough(source, new HeadWatch(source)));

  assert.deepEqual(await balances.read([holderAt(1)], at(1)), [undefined]);
});
