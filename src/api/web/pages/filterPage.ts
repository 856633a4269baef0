import type { AdvancedItem } from "../../../query/advanced/advancedList.ts";
import { listAdvanced } from "../../../query/advanced/advancedList.ts";
import type { MergeCursor } from "../../../query/pages.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { PAGE_SIZE, ParameterError } from "../params.ts";
import { amount, time } from "../parts/format.ts";
import type { TokenNames } from "../parts/links.ts";
import { addressLink, markedToken, transactionLink } from "../parts/links.ts";
import { methodBadge, transferAmount } from "../parts/rows.ts";
import type { Column } from "../parts/table.ts";
import { table } from "../parts/table.ts";
import type { FilterFields } from "./filterForm.ts";
import {
  filterForm,
  formatAfter,
  parseAfter,
  parseFilter,
  readFields,
  resolveParties,
  restQuery,
} from "./filterForm.ts";

export const FILTER_PAGES: readonly WebRoute[] = [{ path: "/advanced-filter", serve: serveFilter }];

const COLUMNS: Column[] = [
  { title: "Transaction" },
  { title: "What", card: "plain" },
  { title: "Time", card: "end" },
  { title: "From" },
  { title: "To" },
  { title: "Amount", isNumber: true },
  { title: "Asset", card: "plain" },
];

async function serveFilter(context: WebContext, { query }: WebRequest): Promise<WebPage> {
  const fields = readFields(query);
  const head = html`<h1>Advanced filter</h1>
<p class="quiet">Transactions, token transfers and internal transactions, newest first.</p>
${filterForm(fields)}`;
  try {
    const resolved = await resolveParties(context.network, fields);
    const list = await filtered(context, fields, resolved, parseAfter(query));
    const json = `/api/v2/advanced-filters${restQuery(resolved)}`;
    return { title: "Advanced filter", body: html`${head}\n${list}`, json, isList: true, scope: "index" };
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    const body = html`${head}<p class="notice bad" role="alert">${error.message}</p>`;
    return { title: "Advanced filter", body, status: 422 };
  }
}

async function filtered(
  { network, site }: WebContext,
  fields: FilterFields,
  resolved: FilterFields,
  cursor: MergeCursor | undefined,
): Promise<Html> {
  const request = { page: 1, pageSize: PAGE_SIZE, cursor };
  const { items, addresses, info } = await listAdvanced(network, parseFilter(resolved), request);
  const copies = await findCopies(
    network,
    items.flatMap(({ token }) => token ?? []),
  );
  const rows = items.map((item) => rowOf(item, addresses, { coin: site.coin, names: network.names, copies }));
  const none = info.next === null ? "There is nothing more." : "There is nothing among those that were looked at.";
  return html`${table(COLUMNS, rows, cursor === undefined && info.next === null ? "There is no such thing." : none)}
${info.next !== null && html`<nav class="pager" aria-label="Pages"><a href="${olderPath(fields, formatAfter(info.next.cursor))}" rel="next">Older</a></nav>`}`;
}

interface RowOptions extends TokenNames {
  readonly coin: string;
}

function rowOf(item: AdvancedItem, addresses: AddressInfos, { coin, ...names }: RowOptions): Content[] {
  const { mined, transfer, call, token, from, created } = item;
  const to = item.to ?? created;
  return [
    transactionLink(mined.transaction.hash),
    call === undefined ? methodBadge(item.method, item.to === null) : INTERNAL,
    time(mined.block.header.timestamp),
    addressLink(from, addresses),
    to === null ? "–" : addressLink(to, addresses),
    transfer === undefined || token === undefined
      ? amount(item.amount, { decimals: 18 })
      : transferAmount(transfer, token),
    token === undefined ? coin : markedToken(token, names),
  ];
}

const INTERNAL: Html = html`<span class="method plain">internal</span>`;

function olderPath(fields: FilterFields, after: string): string {
  const given = Object.entries({ ...fields, after }).filter(([, value]) => value !== "");
  return `/advanced-filter?${new URLSearchParams(given)}`;
}
