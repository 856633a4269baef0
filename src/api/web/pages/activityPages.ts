import { readRates } from "../../../query/exchange/rates.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listTransfers } from "../../../query/tokens/transfers.ts";
import { listInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listTransactionsIn } from "../../../query/transactions/filteredTransactions.ts";
import { listTransactions } from "../../../query/transactions/transactionPages.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { attemptForm } from "../parts/attempt.ts";
import type { ListFields } from "../parts/listFilter.ts";
import {
  filterBar,
  givenFields,
  isFiltered,
  olderLink,
  readListFields,
  selectionOf,
  spanOf,
  walkRequest,
} from "../parts/listFilter.ts";
import { pager } from "../parts/table.ts";
import { transactionRows } from "../parts/transactionRows.ts";
import { internalRows, transferRows } from "../parts/transferRows.ts";

export const ACTIVITY_PAGES: readonly WebRoute[] = [
  { path: "/txs", serve: serveTransactions },
  { path: "/token-transfers", serve: serveTransfers },
  { path: "/internal-txs", serve: serveInternal },
];

const heading = (current: string) => html`<h1>Transactions</h1>
<nav class="tabs" aria-label="Views"><ul>${[
  ["/txs", "Transactions"],
  ["/token-transfers", "Token transfers"],
  ["/internal-txs", "Internal transactions"],
  ["/advanced-filter", "Advanced filter"],
].map(
  ([path, title]) => html`<li><a href="${path}"${path === current && html` aria-current="page"`}>${title}</a></li>`,
)}</ul></nav>`;

async function serveTransactions({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const fields = readListFields(query);
  const bar = filterBar("/txs", fields, ["method", "since", "until"]);
  if (isFiltered(fields)) return serveFiltered({ network, site }, query, fields, bar);
  const request = parsePage<never>(query);
  const [page, rates] = await Promise.all([listTransactions(network, request, "actions"), readRates(network)]);
  const body = html`${heading("/txs")}
${bar}<div data-live-part="transactions">${transactionRows(page, { coin: site.coin, rates, names: network.names })}</div>
${pager(page.info, "/txs")}`;
  return {
    title: "Transactions",
    body,
    json: "/api/v2/transactions",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}

/** What was typed stays, also where it cannot be read. */
async function serveFiltered(
  { network, site }: Pick<WebContext, "network" | "site">,
  query: WebRequest["query"],
  fields: ListFields,
  bar: Html,
): Promise<WebPage> {
  const rates = await readRates(network);
  const list = await attemptForm(async () => {
    const filter = { selection: selectionOf(fields), span: spanOf(fields) };
    const page = await listTransactionsIn(network, undefined, filter, walkRequest(query));
    return html`${transactionRows(page, { coin: site.coin, rates, names: network.names })}${olderLink(page.info, "/txs", givenFields(fields))}`;
  });
  return { title: "Transactions", body: html`${heading("/txs")}\n${bar}${list}`, scope: "index" };
}

async function serveTransfers({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const [{ transfers, addresses, info }, rates] = await Promise.all([
    listTransfers(network, request),
    readRates(network),
  ]);
  const copies = await findCopies(
    network,
    transfers.map(({ token }) => token),
  );
  const body = html`${heading("/token-transfers")}
<div data-live-part="transfers">${transferRows(transfers, addresses, { rates, names: network.names, copies })}</div>
${pager(info, "/token-transfers")}`;
  return {
    title: "Token transfers",
    body,
    json: "/api/v2/token-transfers",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}

async function serveInternal({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const [{ calls, addresses, info }, rates] = await Promise.all([
    listInternalTransactions(network, request),
    readRates(network),
  ]);
  const body = html`${heading("/internal-txs")}
<div data-live-part="internal">${internalRows(calls, addresses, { rates, names: network.names, coin: site.coin })}</div>
${pager(info, "/internal-txs")}`;
  const title = "Internal transactions";
  return {
    title,
    body,
    json: "/api/v2/internal-transactions",
    isList: true,
    isLive: request.page === 1,
    scope: "index",
  };
}
