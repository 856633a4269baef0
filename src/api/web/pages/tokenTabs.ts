import { toHex } from "../../../chain/encoding/hex.ts";
import { hasPrices, readRates } from "../../../query/exchange/rates.ts";
import { listPools } from "../../../query/pools/poolPages.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { listHoldersById } from "../../../query/tokens/itemHolders.ts";
import { listItems } from "../../../query/tokens/items.ts";
import { supplyOf } from "../../../query/tokens/token.ts";
import { listTokenTransfers } from "../../../query/tokens/transfers.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import { parsePage } from "../params.ts";
import { barChart } from "../parts/chart.ts";
import { amount, percent } from "../parts/format.ts";
import { addressLink, itemLink } from "../parts/links.ts";
import { assetDollars, dollarAmount } from "../parts/money.ts";
import { poolTable } from "../parts/poolTable.ts";
import type { Column } from "../parts/table.ts";
import { pager, section, table } from "../parts/table.ts";
import { transferRows } from "../parts/transferRows.ts";

export const TOKEN_TABS = { transfers, holders, items, pools };

async function transfers({ network }: WebContext, { address }: KnownToken, query: WebRequest["query"], path: string) {
  const [found, rates] = await Promise.all([
    listTokenTransfers(network, address, parsePage(query)),
    readRates(network),
  ]);
  const page = expectFound(found);
  const copies = await findCopies(
    network,
    page.transfers.map((transfer) => transfer.token),
  );
  return html`${transferRows(page.transfers, page.addresses, { rates, names: network.names, copies })}${pager(page.info, path)}`;
}

async function pools({ network }: WebContext, { address }: KnownToken, query: WebRequest["query"], path: string) {
  const request = parsePage<never>(query);
  const filter = { filter: "all", exchanges: "all", user: undefined, tokens: [toHex(address)] } as const;
  const { pools: found, total } = await listPools(network, { ...request, ...filter });
  const info = { ...request, total, next: null, block: null, since: null };
  return html`${poolTable(found, "No pool has it.", { hasPrices: hasPrices(network) })}${pager(info, path, { tab: "pools" })}`;
}

const DRAWN = 20;

async function holders({ network }: WebContext, token: KnownToken, query: WebRequest["query"], path: string) {
  const [page, rates] = await Promise.all([
    listHoldersById(network, token.address, parsePage(query)),
    readRates(network),
  ]);
  const { holders: found, addresses, info } = expectFound(page);
  const dollarsOf = (value: bigint) => assetDollars({ token, amount: value }, rates);
  const isPriced = dollarsOf(1n) !== undefined;
  const [supply, decimals] = [supplyOf(token) ?? 0n, token.seen?.decimals ?? null];
  const first = (info.page - 1) * info.pageSize + 1;
  const rows = found.map(({ holder, tokenId, amount: value }, at) => [
    html`<span class="rank">${first + at}</span> ${addressLink(holder, addresses, network.names)}${tokenId && html` ${itemLink(token.address, tokenId)}`}`,
    amount(value, { decimals }),
    ...(isPriced ? [dollarAmount(dollarsOf(value) ?? 0)] : []),
    percent(value, supply),
  ]);
  const columns: Column[] = [
    { title: "Holder" },
    { title: "Balance", isNumber: true, card: "end" },
    ...(isPriced ? [{ title: "Value", isNumber: true, card: "plain" } as const] : []),
    { title: "Share", isNumber: true },
  ];
  const chart =
    info.page === 1 &&
    found.length > 1 &&
    supply > 0n &&
    concentration(
      found.slice(0, DRAWN).map(({ amount: value }) => value),
      supply,
    );
  return html`${chart}${table(columns, rows, "Nobody holds it.")}${pager(info, path, { tab: "holders" })}`;
}

async function items({ network }: WebContext, token: KnownToken, query: WebRequest["query"], path: string) {
  const {
    items: found,
    addresses,
    info,
  } = expectFound(await listItems(network, token.address, undefined, parsePage(query)));
  const rows = found.map(({ tokenId, owner, isUnique }) => [
    itemLink(token.address, tokenId),
    owner === undefined ? (isUnique ? "nobody" : "several") : addressLink(owner, addresses),
  ]);
  return html`${table(["Item", "Owner"], rows, "It has no items.")}${pager(info, path, { tab: "items" })}`;
}

function concentration(amounts: readonly bigint[], supply: bigint): Html {
  const points = amounts.map((value, at) => ({
    label: `rank ${at + 1}`,
    value: Number((value * 10_000n) / supply),
    text: percent(value, supply),
  }));
  return section("Largest holders", barChart("Share of the largest holders", points));
}
