import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import type { CallOutcome, ContractCall } from "../../chain/source.ts";
import type { PlacedPosition } from "./uncollectedFees.ts";
import { readUncollected } from "./uncollectedFees.ts";

type Context = Parameters<typeof readUncollected>[0];

const AT = { number: 1, hash: new Uint8Array(32) };
const [POOL, MANAGER, OWNER] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const LIQUIDITY = 1_000_000n;

const placed = (manager: Uint8Array | undefined) =>
  ({
    ...{ owner: OWNER, manager, tokenId: manager && uintFromBigInt(7n), liquidity: LIQUIDITY },
    ...{ poolAddress: POOL, isAlgebra: false, tickLower: -60, tickUpper: 60, tick: 0 },
  }) as PlacedPosition;

const encode = (words: readonly bigint[]) => {
  const bytes = new Uint8Array(32 * words.length);
  for (const [at, word] of words.entries()) bytes.set(Buffer.from(word.toString(16).padStart(64, "0"), "hex"), 32 * at);
  return bytes;
};

/** A pool in which nothing was earned since, and what it and its manager owe of both tokens. */
function nodeOwing(inPool: readonly [bigint, bigint], ofToken: readonly [bigint, bigint]): Context {
  const calls = async (batch: readonly ContractCall[]): Promise<CallOutcome[]> =>
    batch.map(({ to, data }) => {
      if (to === MANAGER) return encode([...Array<bigint>(7).fill(0n), LIQUIDITY, 0n, 0n, ...ofToken]);
      const isRecord = toHex(data).startsWith("0x514ea4bf");
      return encode(isRecord ? [LIQUIDITY, 0n, 0n, ...inPool] : Array<bigint>(8).fill(0n));
    });
  return { node: { readThrough: { calls } } };
}

const read = async (node: Context, manager?: Uint8Array) => (await readUncollected(node, [placed(manager)], AT))[0];

test("a manager has at most what its pool has for it", async () => {
  assert.deepEqual(await read(nodeOwing([500n, 900n], [400n, 900n]), MANAGER), [400n, 900n]);
  assert.deepEqual(await read(nodeOwing([500n, 900n], [400n, 10n ** 30n]), MANAGER), [400n, 900n]);
});

test("a position in the pool itself has what the pool says", async () => {
  assert.deepEqual(await read(nodeOwing([500n, 900n], [0n, 0n])), [500n, 900n]);
});
