import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { ContractCall, Head } from "../../chain/source.ts";
import { feesEarned } from "../../exchange/positions.ts";
import type { OwnedPosition } from "../../store/stages/exchange/exchangeReads.ts";
import type { QueryContext } from "../context.ts";
import { callContracts, contractCall } from "./poolCalls.ts";

export interface PlacedPosition extends OwnedPosition {
  readonly poolAddress: AddressBytes;
  readonly isAlgebra: boolean;
  /** Of the pool. */
  readonly tick: number;
}

/** Of token0 and token1: fees, and what was removed and not collected. */
export type Uncollected = readonly [bigint, bigint];

/** State of positions after a block by the node; undefined without a valid answer in time. */
export async function readUncollected(
  context: Pick<QueryContext, "node">,
  positions: readonly PlacedPosition[],
  at: Pick<Head, "number" | "hash">,
): Promise<(Uncollected | undefined)[]> {
  const wordsOf = await callContracts(context, positions.flatMap(callsOf), at);
  return positions.map((position) => uncollectedOf(position, callsOf(position).map(wordsOf)));
}

/** The position, then both borders and both sums of the pool. */
function callsOf(position: PlacedPosition): ContractCall[] {
  const { manager, tokenId, poolAddress, isAlgebra, tickLower, tickUpper } = position;
  const own =
    manager !== undefined && tokenId !== undefined
      ? contractCall(manager, "positions(uint256)", uintToBigInt(tokenId))
      : contractCall(poolAddress, "positions(bytes32)", toHex(positionKey(position)));
  return [
    own,
    ...[tickLower, tickUpper].map((tick) => contractCall(poolAddress, "ticks(int24)", tick)),
    ...[0, 1].map((token) =>
      contractCall(poolAddress, isAlgebra ? `totalFeeGrowth${token}Token()` : `feeGrowthGlobal${token}X128()`),
    ),
  ];
}

/** As pools name positions: owner and ticks, packed, in pools of Algebra as they are, in others their hash. */
function positionKey({ owner, tickLower, tickUpper, isAlgebra }: PlacedPosition): Bytes {
  const packed = new Uint8Array(26);
  packed.set(owner);
  for (const [at, tick] of [tickLower, tickUpper].entries()) {
    packed.set([(tick >> 16) & 255, (tick >> 8) & 255, tick & 255], 20 + 3 * at);
  }
  if (!isAlgebra) return keccak256(packed);
  const word = new Uint8Array(32);
  word.set(packed, 6);
  return word;
}

/** Words of a position in a pool, and where they are in a manager's record. */
const POOL_WORDS = { count: 5, liquidity: 0, growth: 1, owed: 3 };
const MANAGER_WORDS = { count: 12, liquidity: 7, growth: 8, owed: 10 };

/** Where a tick has the fees of its other side. Before Integral, pools of Algebra have them where V3 does. */
const OUTSIDE = { v3: 2, integral: 4 };
const INTEGRAL_TICK = 6;

function uncollectedOf(position: PlacedPosition, words: readonly (readonly bigint[])[]): Uncollected | undefined {
  const [own = [], lower = [], upper = [], global0 = [], global1 = []] = words;
  const places = position.manager === undefined ? POOL_WORDS : MANAGER_WORDS;
  // Before Integral, positions of Algebra have other words.
  const isOwn = position.isAlgebra ? own.length === places.count : own.length >= places.count;
  const isWhole = isOwn && lower.length >= 4 && upper.length >= 4;
  if (!isWhole || global0.length === 0 || global1.length === 0) return undefined;
  const isIntegral = position.isAlgebra && lower.length === INTEGRAL_TICK;
  const of = (token: 0 | 1) => {
    const global = [global0, global1][token]![0]!;
    const outside = (isIntegral ? OUTSIDE.integral : OUTSIDE.v3) + token;
    const [outsideLower, outsideUpper, last] = [lower[outside]!, upper[outside]!, own[places.growth + token]!];
    const growth = { global, outsideLower, outsideUpper, last };
    return own[places.owed + token]! + feesEarned(position, position.tick, growth, own[places.liquidity]!);
  };
  return [of(0), of(1)];
}
