import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import type { PoolState } from "./poolState.ts";
import { encodePoolState, fractionOf, isAbove, NO_STATE, readPoolState } from "./poolState.ts";
import type { Position } from "./position.ts";
import {
  directId,
  isHeld,
  managedBy,
  managedId,
  NO_EVENTS,
  readPosition,
  withEvent,
  writePosition,
} from "./position.ts";

const SEED = firstSeed();

/** Any size and sign: hostile pools log anything. */
function randomState(random: Random): PoolState {
  const amount = () => {
    if (random.chance(0.4)) return 0n;
    const size = BigInt(`0x${Buffer.from(random.bytes(random.between(1, 40))).toString("hex")}`);
    return random.chance(0.2) ? -size : size;
  };
  const state: Record<string, unknown> = { ...NO_STATE };
  for (const [key, value] of Object.entries(NO_STATE)) if (typeof value === "bigint") state[key] = amount();
  const [transactions, swaps] = [random.int(1e9), random.int(1e9)];
  const tick = random.between(-887272, 887272);
  const fees = { feeProtocol0: random.int(256), feeProtocol1: random.int(256) };
  const made = { ...state, transactions, swaps, ...(random.chance(0.5) ? { tick, ...fees } : {}) } as PoolState;
  const { reserve0, reserve1, sqrtPrice } = made;
  const prices = [
    undefined,
    { high: { reserve0, reserve1 }, low: { reserve0: amount(), reserve1: amount() } },
    { high: { sqrtPrice: amount() }, low: { sqrtPrice } },
  ];
  const solidly = random.chance(0.3) ? { fee: random.int(1e6), charged0: amount(), charged1: amount() } : undefined;
  const bounds = { max: random.int(1e6 + 1), isExact: random.chance(0.5), above: random.int(16) };
  const pairFee = random.chance(0.3) ? { ...bounds, maxAbove: random.int(1e6) } : undefined;
  return { ...made, solidly, pairFee, ...random.pick(prices) };
}

test(`a state is read as it was written (seed ${SEED})`, () => {
  const random = new Random(SEED);

  assert.deepEqual(readPoolState(encodePoolState(NO_STATE)), NO_STATE);
  assert.ok(encodePoolState(NO_STATE).length <= 3);
  for (let i = 0; i < 500; i++) {
    const state = randomState(random);
    assert.deepEqual(readPoolState(encodePoolState(state)), state);
  }
});

test("a damaged state is told as one", () => {
  const bytes = encodePoolState({ ...NO_STATE, reserve0: 10n ** 30n, swaps: 3 });

  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => readPoolState(bytes.subarray(0, length)), { code: "store_corrupt" });
  }
});

test("prices of a pool are compared as fractions, and as square roots", () => {
  const pair = (reserve0: bigint, reserve1: bigint) => ({ reserve0, reserve1 });

  assert.ok(isAbove(pair(2n, 3n), pair(3n, 4n)));
  assert.ok(!isAbove(pair(3n, 4n), pair(6n, 8n)));
  assert.ok(isAbove({ sqrtPrice: 5n }, { sqrtPrice: 4n }));
  assert.deepEqual(fractionOf({ sqrtPrice: 2n ** 96n }), { numerator: 2n ** 192n, denominator: 2n ** 192n });
});

test("a position keeps the sums of all its events, of a block not each of them", () => {
  const owner = new Uint8Array(20).fill(7);
  let position: Position = { pool: 1, tickLower: -60, tickUpper: 60, liquidity: 0n, owner, ...NO_EVENTS };
  for (let slot = 1; slot <= 5000; slot++) {
    const kind = slot === 5000 ? "burn" : slot % 2 === 0 ? "mint" : "collect";
    position = withEvent(position, { kind, slot, amounts: [BigInt(slot), 1n] });
  }

  const { added, removed, collected, events, last } = position;
  assert.deepEqual(
    [added, removed, collected],
    [
      [6_247_500n, 2499n],
      [5000n, 1n],
      [6_250_000n, 2500n],
    ],
  );
  assert.deepEqual([events, last.length], [101, 101]);
  const sumOf = (kind: string) => last.reduce((sum, one) => sum + (one.kind === kind ? one.amounts[0] : 0n), 0n);
  assert.deepEqual([sumOf("mint"), sumOf("burn"), sumOf("collect")], [added[0], removed[0], collected[0]]);
  assert.ok(writePosition(position).length < 10_000);
});

test("a position is read as it was written, and its id says whose it is", () => {
  const owner = new Uint8Array(20).fill(7);
  const position: Position = {
    ...{ pool: 300, tickLower: -887272, tickUpper: 60, liquidity: 2n ** 128n - 1n, owner },
    ...{ added: [2n ** 127n, 0n], removed: [7n, 2n ** 90n], collected: [0n, 1n], transfers: 3, events: 2000 },
    last: [
      { kind: "burn", slot: 3, amounts: [7n, 2n ** 90n] },
      { kind: "collect", slot: 2 ** 20 - 1, amounts: [0n, 1n] },
    ],
  };
  const [manager, tokenId] = [new Uint8Array(20).fill(9), new Uint8Array(32).fill(1)];

  assert.deepEqual(readPosition(writePosition(position)), position);
  assert.deepEqual(managedBy(managedId(manager, tokenId)), { manager, tokenId });
  assert.equal(managedBy(directId(300, owner, -60, 60)), undefined);
  assert.notDeepEqual(directId(300, owner, -60, 60), directId(300, owner, -60, 120));
  assert.ok(isHeld(position));
  assert.ok(!isHeld({ ...position, liquidity: 0n }) && !isHeld({ ...position, owner: new Uint8Array(20) }));
});
