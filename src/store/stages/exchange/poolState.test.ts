import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import type { PoolState } from "./poolState.ts";
import { encodePoolState, fractionOf, isAbove, NO_STATE, readPoolState } from "./poolState.ts";
import type { Position } from "./position.ts";
import { directId, isHeld, managedBy, managedId, readPosition, writePosition } from "./position.ts";

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
  return { ...made, solidly, ...random.pick(prices) };
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

test("a position is read as it was written, and its id says whose it is", () => {
  const owner = new Uint8Array(20).fill(7);
  const position: Position = { pool: 300, tickLower: -887272, tickUpper: 60, liquidity: 2n ** 128n - 1n, owner };
  const [manager, tokenId] = [new Uint8Array(20).fill(9), new Uint8Array(32).fill(1)];

  assert.deepEqual(readPosition(writePosition(position)), position);
  assert.deepEqual(managedBy(managedId(manager, tokenId)), { manager, tokenId });
  assert.equal(managedBy(directId(300, owner, -60, 60)), undefined);
  assert.notDeepEqual(directId(300, owner, -60, 60), directId(300, owner, -60, 120));
  assert.ok(isHeld(position));
  assert.ok(!isHeld({ ...position, liquidity: 0n }) && !isHeld({ ...position, owner: new Uint8Array(20) }));
});
