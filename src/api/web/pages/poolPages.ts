import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { listPools } from "../../../query/exchange/poolPages.ts";
import type { Content } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { Page } from "../page.ts";
import { parseChoice, parsePage } from "../params.ts";
import { figure, named } from "../parts/format.ts";
import { change, dollars, feeText, pairName, percentText } from "../parts/poolText.ts";
import { pager, table } from "../parts/table.ts";
import { servePool } from "./poolPage.ts";

export const POOL_PAGES: readonly WebRoute[] = [
  { path: "/pools", serve: servePools },
  { path: "/pools/:address", serve: servePool },
];

const FILTERS = ["all", "v2", "v3"] as const;

async function servePools({ network }: WebContext, { query }: WebRequest): Promise<Page> {
  const filter = parseChoice(query, "type", FILTERS);
  const request = parsePage<never>(query);
  const { pools, total } = await listPools(network, { ...request, filter, user: undefined });
  const rows = pools.map((record): Content[] => {
    const { pool, figures } = record;
    return [
      html`<a href="/pools/${checksumAddress(pool.address)}">${pairName(record)}</a>`,
      html`${named(pool.dex)} <span class="tag">${pool.type}</span>`,
      feeText(pool.fee),
      dollars(figures.locked),
      dollars(figures.traded),
      change(figures.tradedChange),
      dollars(figures.fees),
      percentText(figures.apr),
      figure(figures.transactions),
    ];
  });
  const titles = ["Fee", "Value locked", "Volume 24 h", "Change", "Fees 24 h", "APR", "Transactions 24 h"];
  const columns = ["Pool", "Exchange", ...titles.map((title) => ({ title, isNumber: true }))];
  const info = { ...request, total, next: null, block: null, since: null };
  const links = FILTERS.map(
    (name) =>
      html`<li><a href="/pools${name === "all" ? "" : `?type=${name}`}"${name === filter && html` aria-current="page"`}>${name === "all" ? "All" : name}</a></li>`,
  );
  const body = html`<h1>Pools</h1>
<nav class="tabs" aria-label="Kinds"><ul>${links}</ul></nav>
${table(columns, rows, "There are no pools.")}${pager(info, "/pools", filter === "all" ? {} : { type: filter })}`;
  return { title: "Pools", body, json: `/api/v1/pools?pool_type=${filter}`, scope: "index" };
}
