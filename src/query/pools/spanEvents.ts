import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { isPairType, readAmounts } from "../../chain/exchange/exchangeFields.ts";
import { exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import { readPoolLog } from "../../chain/exchange/poolLog.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { unitsOf } from "../../exchange/decimal.ts";
import { defined } from "../../std/values.ts";
import { slotOf } from "../../store/rows/position.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { Amounts } from "../../store/stages/exchange/position.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { AdapterPool } from "./adapterPools.ts";
import { hasExactReserves, MAX_PLACES, readAdapterPools } from "./adapterPools.ts";
import type { AdapterLog, BlockSpan } from "./spanLogs.ts";
import { readAdapterLogs } from "./spanLogs.ts";

/** A trade, or liquidity that came or went. */
export interface SpanEvent extends AdapterPool {
  readonly type: "swap" | "join" | "exit";
  /** Positive into the pool. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Whole tokens of token1 for one of token0; undefined unless it is a swap. */
  readonly price: Fraction | undefined;
  /** What the pool holds after it by its events; undefined where they do not tell exactly. */
  readonly reserves: Amounts | undefined;
  readonly transactionHash: Bytes;
  readonly transactionIndex: number;
  readonly logIndex: number;
  /** Who sent the transaction. */
  readonly maker: Bytes;
  readonly block: number;
  readonly timestamp: number;
}

/** All events of pools of configured or known exchanges in blocks [from, to], in chain order. */
export function listSpanEvents({ exchange }: QueryContext, span: BlockSpan): Promise<readonly SpanEvent[]> {
  return exchange.read(async (session, view) => {
    expectIndexed(view.range, span);
    const touched = await session.exchange.touched(span.from, span.to);
    const listed = view.listing.pools.filter(({ id }) => touched.has(id));
    const pools = await readAdapterPools(session, view, listed);
    const exact = pools.flatMap(({ pool }) => (hasExactReserves(pool) ? [pool] : []));
    const ids = exact.map(({ id }) => id);
    const [logs, before] = await Promise.all([
      readAdapterLogs(session, pools, span),
      session.exchange.states(ids, span.from - 1),
    ]);
    const held = new Map(exact.map((pool) => [pool.id, heldIn(pool, before.get(pool.id))]));
    return logs.flatMap((log) => eventOf(log, held) ?? []);
  });
}

function expectIndexed(range: IndexedRange | undefined, { from, to }: BlockSpan): void {
  if (range === undefined) throw new ChainError("stage_behind", "No block is indexed yet.");
  if (to > range.tip.number) {
    throw new ChainError("stage_behind", `Blocks are indexed up to ${range.tip.number}, not yet to ${to}.`);
  }
  if (from < range.first) throw new ChainError("invalid_argument", `blocks before ${range.first} are not indexed`);
}

function heldIn({ type }: ListedPool, state: PoolState | undefined): Amounts {
  if (state === undefined) return [0n, 0n];
  return isPairType(type) ? [state.reserve0, state.reserve1] : [state.amount0, state.amount1];
}

/** Pairs say what they hold. What others hold is what came without what went. */
function heldAfter({ type }: ListedPool, [held0, held1]: Amounts, log: Log): Amounts {
  const event = exchangeEventOf(log);
  if (isPairType(type)) return event === "sync" || event === "syncSolidly" ? readAmounts(log) : [held0, held1];
  const [out0, out1] = event === "collectProtocol" ? readAmounts(log) : [0n, 0n];
  const [in0, in1] = event === "flash" ? readAmounts(log, 2) : [0n, 0n];
  const { amount0, amount1 } = readPoolLog(log) ?? { amount0: in0 - out0, amount1: in1 - out1 };
  return [held0 + amount0, held1 + amount1];
}

const TYPES = { swap: "swap", mint: "join", burn: "exit", collect: "exit" } as const;

/** Undefined for logs that are no such event. Moves what the pool holds in either case. */
function eventOf(
  { pool, decimals, position, log: mined, amounts }: AdapterLog,
  held: Map<number, Amounts>,
): SpanEvent | undefined {
  const log = { ...mined, data: defined(mined.data) };
  const before = held.get(pool.id);
  const reserves = before && heldAfter(pool, before, log);
  if (reserves !== undefined) held.set(pool.id, reserves);
  const change = readPoolLog(log);
  if (change === undefined) return undefined;
  const type = TYPES[change.type];
  const [amount0, amount1] = amounts ?? [change.amount0, change.amount1];
  const price = type === "swap" ? priceOf([amount0, amount1], decimals) : undefined;
  if (type === "swap" ? price === undefined : amount0 === 0n && amount1 === 0n) return undefined;
  const { header, transactionHash, sender: maker, logIndex } = mined;
  return {
    ...{ pool, decimals, type, amount0, amount1, price, transactionHash, maker, logIndex },
    reserves: reserves?.every((amount) => amount >= 0n) ? reserves : undefined,
    transactionIndex: slotOf(position) - logIndex - 1,
    block: header.number,
    timestamp: header.timestamp,
  };
}

/** Undefined unless one token was traded for the other, at a price that the places can tell. */
function priceOf([amount0, amount1]: Amounts, [decimals0, decimals1]: AdapterPool["decimals"]): Fraction | undefined {
  const [numerator, denominator] = [amount1 * unitsOf(decimals0), -amount0 * unitsOf(decimals1)];
  const price = denominator < 0n ? { numerator: -numerator, denominator: -denominator } : { numerator, denominator };
  const isWritable = price.denominator > 0n && price.numerator * unitsOf(MAX_PLACES) >= price.denominator;
  return isWritable ? price : undefined;
}
