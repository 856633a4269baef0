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

const NUMBERS: readonly (readonly [title: string, sort?: PoolSort])[] = [
  ["Value locked", "tvl"],
  ["Volume 24 h", "volume"],
  ["Change"],
  ["Fees 24 h", "fees"],
  ["APR", "apr"],
  ["Transactions 24 h", "transactions"],
];

export function poolTable(pools: readonly PoolRecord[], none: string, list?: SortedList): Html {
  const rows = pools.map((record): Content[] => {
    const { pool, figures } = record;
    return [
      html`<a href="/pools/${poolIdOf(pool)}">${pairName(record)}</a> <span class="tag">${feeText(record.fee)}</span>`,
      dollars(figures.locked),
      dollars(figures.traded),
      change(figures.tradedChange),
      dollars(figures.fees),
      percentText(figures.apr),
      figure(figures.transactions),
      named(pool.dex),
    ];
  });
  const numbers = NUMBERS.map(
    ([title, sort]): Column => ({
      title,
      isNumber: true,
      ...(sort === "tvl" && { card: "end" as const }),
      ...(sort && list && sortable(sort, list)),
    }),
  );
  return table([{ title: "Pool" }, ...numbers, { title: "Exchange", card: "plain" }], rows, none);
}
