import type { Hex } from "../../chain/encoding/hex.ts";
import { divideHalfEven } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import { filterInTurns } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { ValuedPool } from "../exchange/valuedPools.ts";
import { figuresOf } from "./poolFigures.ts";

/** All given ones must hold. */
export interface PoolCriteria {
  /** The pool has each of them. */
  readonly tokens?: readonly Hex[] | undefined;
  /** Name of an exchange in any case, or its factory. */
  readonly dex?: string | undefined;
  readonly fee?: number | undefined;
  /** Unix seconds. */
  readonly createdFrom?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** In units of 10^-8 dollars, to which values are rounded. */
  readonly minLocked?: bigint | undefined;
  /** In 24 hours, in the same units. */
  readonly minTraded?: bigint | undefined;
  /** Words that the symbols, names and addresses of pool, tokens and exchange contain. */
  readonly search?: string | undefined;
}

type Test = (valued: ValuedPool) => boolean;

/** In the order of the list. */
export async function filterPools(
  session: ReadSession,
  exchange: Exchange,
  view: ExchangeView,
  list: readonly ValuedPool[],
  criteria: PoolCriteria,
): Promise<readonly ValuedPool[]> {
  const { minLocked, minTraded, dex, fee } = criteria;
  const tests: Test[] = [];
  if (criteria.tokens !== undefined) tests.push(hasTokens(view, criteria.tokens));
  if (dex !== undefined) tests.push(({ pool }) => pool.factory === dex || pool.dex.toLowerCase() === dex);
  if (fee !== undefined) tests.push(({ pool }) => pool.fee === fee);
  if (minLocked !== undefined) tests.push(({ locked }) => rounded(locked) >= minLocked);
  const isOfAge = await readAgeTest(session, view, criteria);
  if (isOfAge !== undefined) tests.push(isOfAge);
  if (minTraded !== undefined) tests.push(({ pool }) => rounded(figuresOf(view, pool).traded) >= minTraded);
  if (criteria.search !== undefined) tests.push(await searchTest(session, exchange, view, criteria.search));
  return tests.length === 0 ? list : filterInTurns(list, (valued) => tests.every((holds) => holds(valued)));
}

const ROUNDED = SCALE / 10n ** 8n;

const rounded = (value: bigint) => divideHalfEven(value, ROUNDED);

function hasTokens({ listing }: ExchangeView, tokens: readonly Hex[]): Test {
  const numbers = tokens.map((hex) => listing.tokensByHex.get(hex)?.number);
  const isOf = ({ token0, token1 }: ListedPool, number: number | undefined) =>
    token0.number === number || token1.number === number;
  return ({ pool }) => numbers.every((number) => isOf(pool, number));
}

async function readAgeTest(
  session: ReadSession,
  { range }: ExchangeView,
  { createdFrom, createdBefore }: PoolCriteria,
): Promise<Test | undefined> {
  if (range === undefined || (createdFrom === undefined && createdBefore === undefined)) return undefined;
  const times = [createdFrom ?? 0, createdBefore ?? Number.MAX_SAFE_INTEGER].map((time) => time - 1);
  const [from = 0, end = 0] = await session.blocks.firstAfterEach(times, range.first, range.tip.number + 1);
  return ({ pool }) => pool.since >= from && pool.since < end;
}

async function searchTest(session: ReadSession, exchange: Exchange, view: ExchangeView, search: string): Promise<Test> {
  const words = [...new Set(search.toLowerCase().split(/[\s/]+/))].filter((word) => word !== "");
  const { byToken } = await exchange.texts(session, view);
  const textOf = ({ hex, dex, token0, token1 }: ListedPool) =>
    `${hex} ${dex.toLowerCase()} ${byToken.get(token0.hex) ?? ""} ${byToken.get(token1.hex) ?? ""}`;
  return ({ pool }) => {
    const text = textOf(pool);
    return words.every((word) => text.includes(word));
  };
}
