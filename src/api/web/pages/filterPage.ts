import type { AdvancedItem } from "../../../query/advanced/advancedList.ts";
import { listAdvanced } from "../../../query/advanced/advancedList.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { PAGE_SIZE } from "../params.ts";
import { coins, time } from "../parts/format.ts";
import { addressLink, tokenLink, transactionLink } from "../parts/links.ts";
import { methodBadge, transferAmount } from "../parts/rows.ts";
import { table } from "../parts/table.ts";
import type { FilterFields } from "./filterForm.ts";
import { filterForm, formatAfter, parseAfter, parseFilter, readFields, restQuery } from "./filterForm.ts";

export const FILTER_PAGES: readonly WebRoute[] = [{ path: "/advanced-filter", serve: serveFilter }];

const COLUMNS = ["Transaction", "What", "Time", "From", "To", { title: "Amount", isNumber: true }, "Asset"];

async function serveFilter({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const fields = readFields(query);
  const cursor = parseAfter(query);
  const request = { page: 1, pageSize: PAGE_SIZE, cursor };
  const { items, addresses, info } = await listAdvanced(network, parseFilter(fields), request);
  const rows = items.map((item) => rowOf(item, addresses, site.coin));
  const none = info.next === null ? "There is nothing more." : "There is nothing among those that were looked at.";
  const body = html`<h1>Advanced filter</h1>
<p class="quiet">Transactions, token transfers and internal transactions, newest first.</p>
${filterForm(fields)}
${table(COLUMNS, rows, cursor === undefined && info.next === null ? "There is no such thing." : none)}
${info.next !== null && html`<nav class="pager" aria-label="Pages"><a href="${olderPath(fields, formatAfter(info.next.cursor))}" rel="next">Older</a></nav>`}`;
  return {
    title: "Advanced filter",
    body,
    json: `/api/v2/advanced-filters${restQuery(fields)}`,
    isList: true,
    scope: "index",
  };
}

function rowOf(item: AdvancedItem, addresses: AddressInfos, coin: string): Content[] {
  const { mined, transfer, call, token, from, created } = item;
  const to = item.to ?? created;
  return [
    transactionLink(mined.transaction.hash),
    call === undefined ? methodBadge(item.method, item.to === null) : INTERNAL,
    time(mined.block.header.timestamp),
    addressLink(from, addresses),
    to === null ? "–" : addressLink(to, addresses),
    transfer === undefined || token === undefined ? coins(item.amount, coin) : transferAmount(transfer, token),
    token === undefined ? coin : tokenLink(token),
  ];
}

const INTERNAL: Html = html`<span class="method plain">internal</span>`;

function olderPath(fields: FilterFields, after: string): string {
  const given = Object.entries({ ...fields, after }).filter(([, value]) => value !== "");
  return `/advanced-filter?${new URLSearchParams(given)}`;
}
