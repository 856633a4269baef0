import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Source } from "../../chain/source.ts";
import { HeadWatch } from "./headWatch.ts";
import { ReadThrough } from "./readThrough.ts";

const chain = new SimulatedChain({ seed: 21 });
chain.mine(20);

function through(changes: Partial<Source>, options = {}): ReadThrough {
  const source = { ...simulatedSource(chain), ...changes };
  return new ReadThrough(source, new HeadWatch(source), options);
}

test("those who ask for the same block at one time share one call", async () => {
  let calls = 0;
  const { block } = simulatedSource(chain);
  const reads = through({
    block: (id) => {
      calls++;
      return block(id);
    },
  });
  const found = await Promise.all(Array.from({ length: 50 }, () => reads.block(5)));

  assert.deepEqual(new Set(found.map((one) => one?.header.number)), new Set([5]));
  assert.equal(calls, 1);
  await reads.block(5);
  assert.equal(calls, 2);
});

test("a number far above the head is not asked for", async () => {
  let calls = 0;
  const reads = through({
    block: async () => {
      calls++;
      return undefined;
    },
  });
  assert.equal(await reads.block(1_000_000), undefined);
  assert.equal(calls, 0);
  assert.equal(await reads.block(22), undefined);
  assert.equal(calls, 1);
});

test("only so many different questions are put at one time", async () => {
  const gate = Promise.withResolvers<undefined>();
  const reads = through({ block: () => gate.promise }, { max: 3 });
  const waiting = [1, 2, 3].map((number) => reads.block(number));
  await new Promise(setImmediate);

  await assert.rejects(reads.block(4), { code: "upstream_unavailable" });
  gate.resolve(undefined);
  assert.deepEqual(await Promise.all(waiting), [undefined, undefined, undefined]);
  assert.equal(await reads.block(4), undefined);
});

test("a node that hangs or breaks is unavailable, and its place is free again", async () => {
  const hanging = through({ block: () => new Promise(() => {}) }, { max: 1, deadline: 20 });
  await assert.rejects(hanging.block(1), { code: "upstream_unavailable" });
  await assert.rejects(hanging.block(2), /in time/);

  const broken = through({ transaction: () => Promise.reject(new TypeError("fetch failed")) });
  await assert.rejects(broken.transaction(new Uint8Array(32)), { code: "upstream_unavailable" });
  const refusing = through({ block: () => Promise.reject(new ChainError("upstream_rejected", "no")) });
  await assert.rejects(refusing.block(1), { code: "upstream_rejected" });
});

test("an answer about something else is refused", async () => {
  const { block } = simulatedSource(chain);
  const reads = through({
    block: () => block(3),
    transaction: async () => ({ transaction: chain.at(2)!.transactions[0]! }),
  });
  await assert.rejects(reads.block(4), { code: "upstream_invalid" });
  await assert.rejects(reads.block(fromHex(chain.at(4)!.hash)), { code: "upstream_invalid" });
  await assert.rejects(reads.transaction(new Uint8Array(32)), { code: "upstream_invalid" });
});
