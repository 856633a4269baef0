import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { ContractCall, Head } from "../../chain/source.ts";
import { feesEarned } from "../../exchange/positions.ts";
import { min } from "../../std/numbers.ts";
import type { OwnedPosition } from "../../store/stages/exchange/exchangeReads.ts";
import type { Caller } from "../node/callContracts.ts";
import { callContracts, contractCall } from "../node/callContracts.ts";

export interface PlacedPosition extends OwnedPosition {
  readonly poolAddress: AddressBytes;
  readonly isAlgebra: boolean;
  /** Of the pool. */
  readonly tick: number;
}

/** Of token0 and token1: fees, and what was removed and not collected. */
export type Uncollected = readonly [bigint, bigint];

/** What collecting would pay after a block by the node; undefined without a valid answer in time. */
export async function readUncollected(
  context: Caller,
  positions: readonly PlacedPosition[],
  at: Pick<Head, "number" | "hash">,
): Promise<(Uncollected | undefined)[]> {
  const wordsOf = await callContracts(context, positions.flatMap(callsOf), at);
  return positions.map((position) => uncollectedOf(position, callsOf(position).map(wordsOf)));
}

/** The pool's record of the position, both borders and both sums, then a manager's record of its token. */
function callsOf(position: PlacedPosition): ContractCall[] {
  const { owner, manager, tokenId, poolAddress, isAlgebra, tickLower, tickUpper } = position;
  return [
    contractCall(poolAddress, "positions(bytes32)", toHex(positionKey({ ...position, owner: manager ?? owner }))),
    ...[tickLower, tickUpper].map((tick) => contractCall(poolAddress, "ticks(int24)", tick)),
    ...[0, 1].map((token) =>
      contractCall(poolAddress, isAlgebra ? `totalFeeGrowth${token}Token()` : `feeGrowthGlobal${token}X128()`),
    ),
    ...(manager !== undefined && tokenId !== undefined
      ? [contractCall(manager, "positions(uint256)", uintToBigInt(tokenId))]
      : []),
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
  const [inPool = [], lower = [], upper = [], global0 = [], global1 = [], token = []] = words;
  // Before Integral, positions of Algebra have other words.
  const isRecord = (record: readonly bigint[], { count }: { count: number }) =>
    position.isAlgebra ? record.length === count : record.length >= count;
  const isWhole = isRecord(inPool, POOL_WORDS) && lower.length >= 4 && upper.length >= 4;
  if (!isWhole || global0.length === 0 || global1.length === 0) return undefined;
  const outside = position.isAlgebra && lower.length === INTEGRAL_TICK ? OUTSIDE.integral : OUTSIDE.v3;
  const feesOf = (record: readonly bigint[], { liquidity, growth, owed }: typeof POOL_WORDS): Uncollected => {
    const of = (side: 0 | 1) => {
      const [outsideLower, outsideUpper] = [lower[outside + side]!, upper[outside + side]!];
      const grown = { global: [global0, global1][side]![0]!, outsideLower, outsideUpper, last: record[growth + side]! };
      return record[owed + side]! + feesEarned(position, position.tick, grown, record[liquidity]!);
    };
    return [of(0), of(1)];
  };
  const ofPool = feesOf(inPool, POOL_WORDS);
  if (position.manager === undefined) return ofPool;
  if (!isRecord(token, MANAGER_WORDS)) return undefined;
  const ofToken = feesOf(token, MANAGER_WORDS);
  // A pool pays a manager no more than this for all its tokens of the range, whatever the manager says of one.
  return [min(ofToken[0], ofPool[0]), min(ofToken[1], ofPool[1])];
}
