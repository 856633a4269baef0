import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { readSearchQuery } from "../../../query/searchQuery.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { kindOf, supplyOf } from "../../../query/tokens/token.ts";
import { listTokens, TOKEN_KINDS } from "../../../query/tokens/tokenList.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import type { WebPage } from "../page.ts";
import { ParameterError, parseChoice, parsePage } from "../params.ts";
import { amount, figure, named } from "../parts/format.ts";
import { COPY_MARK, shorten, tokenLink } from "../parts/links.ts";
import { priceAmount, shortDollars, worth } from "../parts/money.ts";
import { sortable } from "../parts/sorting.ts";
import type { Column } from "../parts/table.ts";
import { pager, table } from "../parts/table.ts";

const SORTS = ["holders", "price", "market-cap"] as const;
const ORDERS = ["desc", "asc"] as const;
const KINDS = ["all", "ERC-20", "ERC-721", "ERC-1155"] as const;

const SORT_OF = { holders: "holders_count", price: "fiat_value", "market-cap": "circulating_market_cap" } as const;

export async function serveTokens({ network }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const asked = typeof query.q === "string" ? query.q : "";
  const [sort, order] = [parseChoice(query, "sort", SORTS), parseChoice(query, "order", ORDERS)];
  const kind = parseChoice(query, "type", KINDS);
  const filter = {
    kinds: kind === "all" ? TOKEN_KINDS : [kind],
    sort: SORT_OF[sort],
    order,
    query: asked === "" ? undefined : readSearchQuery(asked),
  };
  const [page, rates] = await Promise.all([listTokens(network, filter, parsePage(query)), readRates(network)]);
  if (page === undefined) throw new ParameterError("This page is too far from both ends of the list; search by name.");
  const { tokens, info } = page;
  const copies = await findCopies(network, tokens);
  const hasPrices = rates.coin !== undefined;
  const given = { ...(asked !== "" && { q: asked }), ...(kind !== "all" && { type: kind }) };
  const sorted = {
    ...(sort !== SORTS[0] && { sort }),
    ...(order !== ORDERS[0] && { order }),
  };
  const rows = tokens.map((token) => cellsOf(token, copies.has(token), network.names, hasPrices ? rates : undefined));
  const body = html`<h1>Tokens</h1>
<form class="filter" action="/tokens" method="get"><label class="hidden" for="token-name">Name or symbol</label><input id="token-name" name="q" value="${asked}" maxlength="200" placeholder="Name or symbol"> ${kindChoice(kind)} <button type="submit">Find</button></form>
${table(columnsOf(hasPrices, { path: "/tokens", given, sort, order }), rows, "There are no such tokens.")}
${pager(info, "/tokens", { ...given, ...sorted })}`;
  const json = new URLSearchParams({
    ...(asked !== "" && { q: asked }),
    ...(kind !== "all" && { type: kind }),
    ...(sort !== SORTS[0] && { sort: SORT_OF[sort] }),
    ...(order !== ORDERS[0] && { order }),
  }).toString();
  return { title: "Tokens", body, json: `/api/v2/tokens${json && `?${json}`}`, isList: true, scope: "index" };
}

function kindChoice(kind: (typeof KINDS)[number]): Html {
  const options = KINDS.map(
    (each) =>
      html`<option value="${each}"${each === kind && html` selected`}>${each === "all" ? "All standards" : each}</option>`,
  );
  return html`<label class="hidden" for="token-type">Standard</label><select id="token-type" name="type">${options}</select>`;
}

function columnsOf(hasPrices: boolean, list: Parameters<typeof sortable>[1]): Column[] {
  const prices: Column[] = [
    { title: "Price", isNumber: true, card: "end", ...sortable("price", list) },
    { title: "Market cap", isNumber: true, ...sortable("market-cap", list) },
  ];
  return [
    { title: "Token" },
    ...(hasPrices ? prices : []),
    { title: "Holders", isNumber: true, ...sortable("holders", list) },
    { title: "Supply", isNumber: true },
    { title: "Standard", card: "plain" },
    { title: "Address", card: "plain" },
  ];
}

function cellsOf(
  token: KnownToken,
  isCopy: boolean,
  names: WebContext["network"]["names"],
  rates: Rates | undefined,
): Content[] {
  const decimals = token.seen?.decimals ?? null;
  const [price, supply] = [rates?.of(token.address, decimals), supplyOf(token)];
  const cap = price !== undefined && supply !== null ? worth(supply, decimals ?? 0, price) : undefined;
  return [
    html`${tokenLink(token, names)} <span class="quiet">${named(token.seen?.name.text ?? "", 30)}</span>${isCopy && COPY_MARK}`,
    ...(rates === undefined
      ? []
      : [price === undefined ? "" : priceAmount(price), cap === undefined ? "" : shortDollars(cap)]),
    figure(token.state.holders),
    supply === null ? "–" : amount(supply, { decimals }),
    kindOf(token),
    html`<code>${shorten(checksumAddress(token.address), 6, 4)}</code>`,
  ];
}
