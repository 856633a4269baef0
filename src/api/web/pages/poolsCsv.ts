import type { Fraction } from "../../../exchange/decimal.ts";
import { formatAmount, formatFraction } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import { poolIdOf } from "../../../query/pools/poolId.ts";
import { listPools } from "../../../query/pools/poolPages.ts";
import type { PoolRecord } from "../../../query/pools/poolRecords.ts";
import { csvLine } from "../../http/csvText.ts";
import { cacheable, TextResponse } from "../../http/responseCache.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { parseChoice } from "../params.ts";
import { priceText } from "../parts/poolCharts.ts";
import { symbolOf } from "../parts/poolText.ts";
import { EXCHANGES, FILTERS } from "./poolFilters.ts";

const MAX_ROWS = 1000;

const COLUMNS = [
  "Pool",
  "Exchange",
  "Version",
  "Base token",
  "Quote token",
  "Fee (%)",
  "Price in quote token",
  "Value locked (USD)",
  "Volume 24 h (USD)",
  "Fees 24 h (USD)",
  "Transactions 24 h",
  "Reserve of base token",
  "Reserve of quote token",
];

/** The pools of the page, in its order, with exact decimals. */
export async function servePoolsCsv({ network }: WebContext, { query }: WebRequest): Promise<object> {
  const filter = parseChoice(query, "type", FILTERS);
  const exchanges = parseChoice(query, "exchanges", EXCHANGES);
  const { pools } = await listPools(network, {
    page: 1,
    pageSize: MAX_ROWS,
    filter: filter === "all" ? "any" : filter,
    exchanges,
    user: undefined,
  });
  const body = [COLUMNS, ...pools.map(rowOf)].map(csvLine).join("");
  return cacheable("index", new TextResponse(body, "text/csv; charset=utf-8"));
}

function rowOf(record: PoolRecord): readonly unknown[] {
  const { pool, figures, base, quote, token0 } = record;
  const held = [figures.balance0, figures.balance1] as const;
  const [baseHeld, quoteHeld] = base === token0 ? held : [held[1], held[0]];
  const dollars = (value: bigint) => formatFraction(value, SCALE, 8);
  return [
    poolIdOf(pool),
    pool.dex,
    pool.type,
    symbolOf(base),
    symbolOf(quote),
    percent({ numerator: BigInt(record.fee), denominator: 10_000n }),
    figures.price && priceText(record, figures.price),
    dollars(figures.locked),
    dollars(figures.traded),
    dollars(figures.fees),
    figures.transactions,
    formatAmount(baseHeld, base.decimals),
    formatAmount(quoteHeld, quote.decimals),
  ];
}

function percent({ numerator, denominator }: Fraction): string {
  return formatFraction(numerator, denominator, 4);
}
