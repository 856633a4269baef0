import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../../test/support/api.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import type { SimulatedBlock } from "../../../../test/support/simulatedChain.ts";
import { simulatedTrace } from "../../../../test/support/simulatedTraces.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { countKnownAddresses, readKnownAddresses, readTouched } from "./knownAddresses.ts";

const SEED = firstSeed();

interface Frame {
  readonly from: string;
  readonly to?: string;
  readonly calls?: readonly Frame[];
}

const partiesOf = ({ from, to, calls = [] }: Frame): string[] => [
  ...(to === undefined ? [from] : [from, to]),
  ...calls.flatMap(partiesOf),
];

const withdrawalsOf = ({ block }: SimulatedBlock) => (block.withdrawals ?? []) as readonly { address: string }[];

/** Accounts a block may change, by the node's JSON. */
function plainTouched(simulated: SimulatedBlock): Set<string> {
  const { block, receipts } = simulated;
  const touched = [block.miner, ...withdrawalsOf(simulated).map(({ address }) => address)];
  for (const [index, { from, to }] of block.transactions.entries()) {
    const { contractAddress, status } = receipts[index]!;
    touched.push(from, ...(to === null ? [] : [to]));
    if (contractAddress !== null && status !== "0x0") touched.push(contractAddress);
    touched.push(...partiesOf(simulatedTrace(simulated, index, "callTracer") as Frame));
  }
  return new Set(touched.map((address) => String(address).toLowerCase()));
}

test(`a block touches all whose balances it can change, and whoever is new in it (seed ${SEED})`, async (t) => {
  const { chain, store, close } = await serveChain({ seed: SEED, blocks: 12, traces: true });
  t.after(close);
  await store.read(async (session) => {
    const touchedSoFar = new Set<string>();
    let withdrawn = 0;
    for (let number = 0; number <= chain.head.number; number++) {
      const simulated = chain.at(number)!;

      const touched = new Set((await readTouched(session, number)).map(toHex));

      const expected = plainTouched(simulated);
      assert.deepEqual(
        [...expected].filter((address) => !touched.has(address as `0x${string}`)),
        [],
        `block ${number}`,
      );
      for (const address of touched) touchedSoFar.add(address);
      withdrawn += withdrawalsOf(simulated).length;
    }
    const counts = await countKnownAddresses(session);
    const seen = await readKnownAddresses(session, counts, 0, 100_000);
    assert.ok(withdrawn > 0);
    assert.deepEqual(
      seen.map(toHex).filter((address) => !touchedSoFar.has(address)),
      [],
    );
    for (const [from, limit] of [
      [0, 3],
      [counts[0] - 1, 2],
      [counts[0], counts[1] + 1],
      [seen.length - 2, 9],
    ] as const) {
      const some = await readKnownAddresses(session, counts, from, limit);
      assert.deepEqual(some.map(toHex), seen.slice(from, from + limit).map(toHex));
    }
  });
});
