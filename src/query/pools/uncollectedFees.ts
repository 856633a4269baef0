import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { CallOutcome, ContractCall, Head } from "../../chain/source.ts";
import { feesEarned } from "../../exchange/positions.ts";
import { Deadline } from "../../std/async.ts";
import type { OwnedPosition } from "../../store/stages/exchange/exchangeReads.ts";
import type { QueryContext } from "../context.ts";

export interface PlacedPosition extends OwnedPosition {
  readonly poolAddress: AddressBytes;
  /** Of the pool. */
  readonly tick: number;
}

/** Of token0 and token1: fees, and what was removed and not collected. */
export type Uncollected = readonly [bigint, bigint];

/** Calls per batch. */
const BATCH_SIZE = 50;

/** Milliseconds for all of a page. */
const TIMEOUT = 2000;

/** State of positions after a block by the node; undefined without a valid answer in time. */
export async function readUncollected(
  { node }: Pick<QueryContext, "node">,
  positions: readonly PlacedPosition[],
  at: Pick<Head, "number" | "hash">,
): Promise<(Uncollected | undefined)[]> {
  if (node === undefined) return positions.map(() => undefined);
  const asked = new Map<string, ContractCall>();
  for (const position of positions) for (const call of callsOf(position)) asked.set(keyOf(call), call);
  const [keys, calls] = [[...asked.keys()], [...asked.values()]];
  const answers = new Map<string, CallOutcome>();
  const deadline = new Deadline(TIMEOUT);
  for (let from = 0; from < calls.length; from += BATCH_SIZE) {
    const batch = node.readThrough.calls(calls.slice(from, from + BATCH_SIZE), at).catch((error: unknown) => {
      if (error instanceof ChainError) return undefined;
      throw error;
    });
    const outcomes = await deadline.wait(batch);
    if (outcomes === undefined) break;
    for (const [index, outcome] of outcomes.entries()) answers.set(keys[from + index]!, outcome);
  }
  return positions.map((position) =>
    uncollectedOf(
      position,
      callsOf(position).map((call) => answers.get(keyOf(call))),
    ),
  );
}

const keyOf = ({ to, data }: ContractCall) => `${toHex(to)} ${toHex(data)}`;

/** The position, then both borders and both sums of the pool. */
function callsOf({ manager, tokenId, poolAddress, owner, tickLower, tickUpper }: PlacedPosition): ContractCall[] {
  const call = (to: AddressBytes, ...question: Parameters<typeof encodeCall>): ContractCall => ({
    to,
    data: fromHex(encodeCall(...question)),
  });
  const own =
    manager !== undefined && tokenId !== undefined
      ? call(manager, "positions(uint256)", uintToBigInt(tokenId))
      : call(poolAddress, "positions(bytes32)", toHex(positionKey(owner, tickLower, tickUpper)));
  return [
    own,
    ...[tickLower, tickUpper].map((tick) => call(poolAddress, "ticks(int24)", tick)),
    ...[0, 1].map((token) => call(poolAddress, `feeGrowthGlobal${token}X128()`)),
  ];
}

/** As pools name positions: the hash of owner and ticks, packed. */
function positionKey(owner: AddressBytes, ...ticks: readonly number[]): Bytes {
  const packed = new Uint8Array(26);
  packed.set(owner);
  for (const [at, tick] of ticks.entries()) {
    packed.set([(tick >> 16) & 255, (tick >> 8) & 255, tick & 255], 20 + 3 * at);
  }
  return keccak256(packed);
}

/** Words of a position in a pool, and where they are in a manager's record. */
const POOL_WORDS = { count: 5, liquidity: 0, growth: 1, owed: 3 };
const MANAGER_WORDS = { count: 12, liquidity: 7, growth: 8, owed: 10 };

function uncollectedOf(
  position: PlacedPosition,
  outcomes: readonly (CallOutcome | undefined)[],
): Uncollected | undefined {
  const words = outcomes.map((outcome) => (outcome instanceof Uint8Array ? wordsOf(outcome) : []));
  const [own, lower, upper, global0, global1] = words as [bigint[], bigint[], bigint[], bigint[], bigint[]];
  const places = position.manager === undefined ? POOL_WORDS : MANAGER_WORDS;
  const isWhole = own.length >= places.count && lower.length >= 4 && upper.length >= 4;
  if (!isWhole || global0.length === 0 || global1.length === 0) return undefined;
  const of = (token: 0 | 1) => {
    const global = [global0, global1][token]![0]!;
    const [outsideLower, outsideUpper, last] = [lower[2 + token]!, upper[2 + token]!, own[places.growth + token]!];
    const growth = { global, outsideLower, outsideUpper, last };
    return own[places.owed + token]! + feesEarned(position, position.tick, growth, own[places.liquidity]!);
  };
  return [of(0), of(1)];
}

function wordsOf(bytes: Bytes): bigint[] {
  return Array.from({ length: bytes.length >> 5 }, (_, at) => uintToBigInt(bytes.subarray(32 * at, 32 * at + 32)));
}
