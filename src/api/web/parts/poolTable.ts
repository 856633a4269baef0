import { poolIdOf } from "../../../query/pools/poolId.ts";
import type { PoolRecord } from "../../../query/pools/poolRecords.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { figure, named } from "./format.ts";
import { change, dollars, feeText, pairName, percentText } from "./poolText.ts";
import type { SortedList } from "./sorting.ts";
import { sortable } from "./sorting.ts";
import type { Column } from "./table.ts";
import { table } from "./table.ts";

/** Sort keys of pools. */
export const POOL_SORTS = ["tvl", "volume", "fees", "apr", "transactions"] as const;

type PoolSort = (typeof POOL_SORTS)[number];

interface NumberColumn {
  readonly title: string;
  readonly sort?: PoolSort;
  readonly inDollars?: boolean;
  readonly cell: (figures: PoolRecord["figures"]) => Html | string;
}

const NUMBERS: readonly NumberColumn[] = [
  { title: "Value locked", sort: "tvl", inDollars: true, cell: ({ locked }) => dollars(locked) },
  { title: "Volume 24 h", sort: "volume", inDollars: true, cell: ({ traded }) => dollars(traded) },
  { title: "Change of volume", cell: ({ tradedChange }) => change(tradedChange) },
  { title: "Fees 24 h", sort: "fees", inDollars: true, cell: ({ fees }) => dollars(fees) },
  { title: "APR", sort: "apr", cell: ({ apr }) => percentText(apr) },
  { title: "Transactions 24 h", sort: "transactions", cell: ({ transactions }) => figure(transactions) },
];

interface PoolTable {
  /** Without prices there are no columns of dollars. */
  readonly hasPrices: boolean;
  readonly list?: SortedList;
}

export function poolTable(pools: readonly PoolRecord[], none: string, { hasPrices, list }: PoolTable): Html {
  const shown = NUMBERS.filter(({ inDollars }) => hasPrices || !inDollars);
  const rows = pools.map((record): Content[] => {
    const { pool, figures } = record;
    return [
      html`<a href="/pools/${poolIdOf(pool)}">${pairName(record)}</a> <span class="tag">${feeText(record.fee)}</span>`,
      ...shown.map(({ cell }) => cell(figures)),
      named(pool.dex),
    ];
  });
  const numbers = shown.map(
    ({ title, sort }): Column => ({
      title,
      isNumber: true,
      ...(sort === "tvl" && { card: "end" as const }),
      ...(sort && list && sortable(sort, list)),
    }),
  );
  return table([{ title: "Pool" }, ...numbers, { title: "Exchange", card: "plain" }], rows, none);
}
