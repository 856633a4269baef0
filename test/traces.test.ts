import assert from "node:assert/strict";
import { test } from "node:test";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { uintToBigInt } from "../src/chain/encoding/uint.ts";
import { AUDITED_STAGES } from "../src/indexer/stages.ts";
import { fingerprint } from "../src/store/audit/fingerprint.ts";
import { verifyBlock } from "../src/store/audit/verify.ts";
import type { Store } from "../src/store/store.ts";
import { auditTraces } from "../src/store/traces/traceAudit.ts";
import type { MinedCall } from "../src/store/traces/traceReads.ts";
import type { OrdinalList } from "../src/store/write/list.ts";
import { Random } from "./support/random.ts";
import type { PlainCall } from "./support/tracedChain.ts";
import { TracedChain } from "./support/tracedChain.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 2);
const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

const plainOf = ({ mined, ...call }: MinedCall): PlainCall => ({
  type: call.type,
  index: call.index,
  depth: call.depth,
  from: toHex(call.from),
  to: call.to && toHex(call.to),
  value: uintToBigInt(call.value),
  gas: call.gas,
  error: call.error,
  isUndone: call.isUndone,
  block: mined.block.header.number,
  transaction: toHex(mined.transaction.hash),
  transactionIndex: mined.index,
});

/** Every list of calls against what the node traces now. */
async function expectCalls(traced: TracedChain, store: Store, label: string): Promise<number> {
  const plain: PlainCall[] = [];
  for (let number = 1; number <= (await traced.height()); number++) plain.push(...(await traced.plainCalls(number)));
  await store.read(async ({ traces }) => {
    const read = async (list: OrdinalList) => (await traces.at(await list.slice(0, await list.count()))).map(plainOf);
    assert.deepEqual(await read(traces.all()), plain, `${label}: all`);
    for (let from = 0; from < plain.length; from += 3) {
      const some = (await traces.at(await traces.all().slice(from, from + 2))).map(plainOf);
      assert.deepEqual(some, plain.slice(from, from + 2), `${label}: from ${from}`);
    }
    for (const block of new Set(plain.map((call) => call.block))) {
      const expected = plain.filter((call) => call.block === block);
      assert.deepEqual(await read(await traces.ofBlock(block)), expected, `${label}: block ${block}`);
      for (const index of new Set(expected.map((call) => call.transactionIndex))) {
        const own = expected.filter((call) => call.transactionIndex === index);
        const list = await traces.ofTransaction(block, index);
        assert.deepEqual(await read(list!), own, `${label}: transaction ${index} of block ${block}`);
      }
    }
    for (const address of new Set(plain.flatMap(({ from, to }) => (to === null ? [from] : [from, to])))) {
      const expected = plain.filter(({ from, to }) => from === address || to === address);
      assert.deepEqual(await read(await traces.ofAddress(fromHex(address))), expected, `${label}: ${address}`);
    }
  });
  return plain.length;
}

async function expectSame(traced: TracedChain, label: string): Promise<void> {
  const scratch = await traced.fromScratch();
  assert.equal(await traced.store.read(fingerprint), await scratch.read(fingerprint), label);
  await scratch.close();
  assert.deepEqual(await traced.store.read((session) => auditTraces(session)), [], label);
  for (let number = 0; number <= (await traced.height()); number++) {
    const problems = await traced.store.read((session) => verifyBlock(session, number, AUDITED_STAGES));
    assert.deepEqual(problems, [], `${label}: block ${number}`);
  }
}

test(`internal calls of ${CASES} random chains with reorgs are what the node traces (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const traced = await TracedChain.open(t);
    let calls = 0;
    for (let round = 0; round < 3; round++) {
      const snapshot = await traced.node.ask("evm_snapshot");
      for (let blocks = random.between(1, 6); blocks > 0; blocks--) await traced.mine(random);
      if (random.chance(0.8)) await traced.settle();
      if (random.chance(0.7)) await traced.node.ask("evm_revert", snapshot);
      for (let blocks = random.between(1, 6); blocks > 0; blocks--) await traced.mine(random);
      await traced.settle();
      calls = await expectCalls(traced, traced.store, `seed ${seed}, round ${round}`);
    }
    await expectSame(traced, `seed ${seed}`);
    t.diagnostic(`${calls} calls in ${await traced.height()} blocks`);
    assert.ok(calls > 0, `seed ${seed}`);
  }
});
