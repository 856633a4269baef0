import { readRates } from "../../../query/exchange/rates.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listTransfersIn } from "../../../query/tokens/filteredTransfers.ts";
import { listTransfers } from "../../../query/tokens/transfers.ts";
import { listInternalTransactions, listInternalTransactionsIn } from "../../../query/traces/internalTransactions.ts";
import { listTransactionsIn } from "../../../query/transactions/filteredTransactions.ts";
import { listTransactions } from "../../../query/transactions/transactionPages.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parsePage } from "../params.ts";
import { attemptForm } from "../parts/attempt.ts";
import type { ListFields } from "../parts/listFilter.ts";
import {
  filterBar,
  givenFields,
  isFiltered,
  olderLink,
  readListFields,
  restPathsOf,
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

/** Keeps the form's input, valid or not. */
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
  const paths = restPathsOf("/api/v2/transactions", fields);
  return {
    title: "Transactions",
    body: html`${heading("/txs")}\n${bar}${list}`,
    ...paths,
    isList: true,
    scope: "index",
  };
}

async function serveTransfers({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const fields = readListFields(query);
  const isWhole = !isFiltered(fields);
  const list = await attemptForm(async () => {
    const token = fields.token === "" ? undefined : parseAddress(fields.token);
    const [page, rates] = await Promise.all([
      isWhole
        ? listTransfers(network, parsePage<never>(query))
        : listTransfersIn(network, token, spanOf(fields), walkRequest(query)),
      readRates(network),
    ]);
    const { transfers, addresses, info } = page;
    const copies = await findCopies(
      network,
      transfers.map((transfer) => transfer.token),
    );
    const rows = transferRows(transfers, addresses, { rates, names: network.names, copies });
    return html`${livePart("transfers", rows, isWhole)}${pagesOf(info, "/token-transfers", fields)}`;
  });
  const { token, ...others } = fields;
  const paths =
    token === ""
      ? restPathsOf("/api/v2/token-transfers", fields)
      : restPathsOf(`/api/v2/tokens/${encodeURIComponent(token)}/transfers`, { ...others, token: "" });
  return {
    title: "Token transfers",
    body: html`${heading("/token-transfers")}
${filterBar("/token-transfers", fields, ["token", "since", "until"])}${list}`,
    ...paths,
    isList: true,
    isLive: isWhole && parsePage<never>(query).page === 1,
    scope: "index",
  };
}

async function serveInternal({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const fields = readListFields(query);
  const isWhole = !isFiltered(fields);
  const list = await attemptForm(async () => {
    const [page, rates] = await Promise.all([
      isWhole
        ? listInternalTransactions(network, parsePage<never>(query))
        : listInternalTransactionsIn(network, spanOf(fields), walkRequest(query)),
      readRates(network),
    ]);
    const rows = internalRows(page.calls, page.addresses, { rates, names: network.names, coin: site.coin });
    return html`${livePart("internal", rows, isWhole)}${pagesOf(page.info, "/internal-txs", fields)}`;
  });
  return {
    title: "Internal transactions",
    body: html`${heading("/internal-txs")}
${filterBar("/internal-txs", fields, ["since", "until"])}${list}`,
    ...restPathsOf("/api/v2/internal-transactions", fields),
    isList: true,
    isLive: isWhole && parsePage<never>(query).page === 1,
    scope: "index",
  };
}

const livePart = (name: string, rows: Html, isLive: boolean): Html =>
  isLive ? html`<div data-live-part="${name}">${rows}</div>` : rows;

/** A filtered list has no total. */
const pagesOf = (info: PageInfo | WalkInfo, path: string, fields: ListFields): Html | undefined =>
  info.total === null ? olderLink(info, path, givenFields(fields)) : pager(info, path);
