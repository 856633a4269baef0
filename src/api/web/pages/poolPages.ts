import { hasPrices } from "../../../query/exchange/rates.ts";
import { listPools } from "../../../query/pools/poolPages.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseChoice, parsePage } from "../params.ts";
import { POOL_SORTS, poolTable } from "../parts/poolTable.ts";
import { pager } from "../parts/table.ts";
import { EXCHANGES, FILTERS } from "./poolFilters.ts";
import { servePool } from "./poolPage.ts";

export const POOL_PAGES: readonly WebRoute[] = [
  { path: "/pools", serve: servePools },
  { path: "/pools/:address", serve: servePool },
];

async function servePools({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const filter = parseChoice(query, "type", FILTERS);
  const exchanges = parseChoice(query, "exchanges", EXCHANGES);
  const [sort, order] = [parseChoice(query, "sort", POOL_SORTS), parseChoice(query, "order", ["desc", "asc"])];
  const isStandard = sort === POOL_SORTS[0] && order === "desc";
  const request = parsePage<never>(query);
  const kind = filter === "all" ? "any" : filter;
  const sorting = isStandard ? {} : { sort, isAscending: order === "asc" };
  const { pools, total } = await listPools(network, {
    ...{ ...request, filter: kind, exchanges, user: undefined },
    ...sorting,
  });
  const info = { ...request, total, next: null, block: null, since: null };
  const given = parametersOf(filter, exchanges);
  const choices = FILTERS.map((name) => choice(name === "all" ? "All" : name, name === filter, name, exchanges));
  const list = { path: "/pools", given, sort, order };
  const body = html`<h1>Pools</h1>
<nav class="tabs" aria-label="Kinds"><ul>${choices}</ul></nav>
<nav class="tabs" aria-label="Exchanges"><ul>${EXCHANGES.map((name) => choice(EXCHANGE_TITLES[name], name === exchanges, filter, name))}</ul></nav>
${poolTable(pools, "There are no pools.", { hasPrices: hasPrices(network), list })}${pager(info, "/pools", { ...given, ...(!isStandard && { sort, order }) })}`;
  const asked = new URLSearchParams(given).toString();
  const json = `/api/v1/pools?pool_type=${kind}&exchanges=${exchanges}`;
  return { title: "Pools", body, json, csv: `/pools/csv${asked && `?${asked}`}`, scope: "index" };
}

const EXCHANGE_TITLES = { known: "Known exchanges", all: "All exchanges" } as const;

function choice(title: string, isChosen: boolean, ...chosen: Parameters<typeof parametersOf>): Html {
  const query = new URLSearchParams(parametersOf(...chosen)).toString();
  return html`<li><a href="/pools${query && `?${query}`}"${isChosen && html` aria-current="page"`}>${title}</a></li>`;
}

/** Parameters that differ from their defaults. */
function parametersOf(
  filter: (typeof FILTERS)[number],
  exchanges: (typeof EXCHANGES)[number],
): Readonly<Record<string, string>> {
  return { ...(filter !== "all" && { type: filter }), ...(exchanges !== "known" && { exchanges }) };
}
