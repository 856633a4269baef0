import { toHex } from "../../../chain/encoding/hex.ts";
import type { CoinBalance } from "../../../query/accounts/coinBalances.ts";
import { listCoinBalances } from "../../../query/accounts/coinBalances.ts";
import { listMinedBlocks } from "../../../query/blocks/blockPages.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listProfits } from "../../../query/pools/profits.ts";
import type { TokenBalance } from "../../../query/tokens/balances.ts";
import { listTokenBalances } from "../../../query/tokens/balances.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import { kindOf } from "../../../query/tokens/token.ts";
import { listAddressInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listAddressLogs } from "../../../query/transactions/logs.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { parsePage } from "../params.ts";
import { amount, coins, formatUnits, named, roundUnits, time } from "../parts/format.ts";
import type { TokenNames } from "../parts/links.ts";
import { blockLink, itemLink, markedToken } from "../parts/links.ts";
import { logList } from "../parts/logList.ts";
import { assetDollars, dollarAmount } from "../parts/money.ts";
import { userPositionRows } from "../parts/positionRows.ts";
import { blockTable } from "../parts/rows.ts";
import type { Column } from "../parts/table.ts";
import { pager, table } from "../parts/table.ts";
import { timeChart } from "../parts/timeChart.ts";
import { internalRows } from "../parts/transferRows.ts";
import { transactions, transfers } from "./addressLists.ts";
import type { AddressTab, Render } from "./addressTab.ts";
import { readTab, writeTab } from "./callTabs.ts";
import { contractTab } from "./contractTab.ts";
import { withdrawalsTab } from "./withdrawalsTab.ts";

const below = (name: string) => (address: string) => `/api/v2/addresses/${address}/${name}`;

const contractJson = (address: string) => `/api/v2/smart-contracts/${address}`;

const LOGS = 25;

export const ADDRESS_TABS = {
  transactions: { json: below("transactions"), render: transactions },
  transfers: { json: below("token-transfers"), render: transfers },
  tokens: { json: below("token-balances"), render: tokens },
  positions: { json: (address) => `/api/v1/users/${address}/positions`, render: positions },
  internal: { json: below("internal-transactions"), render: internal },
  balance: { json: below("coin-balance-history"), render: balance },
  logs: { json: below("logs"), render: logs },
  blocks: { json: below("blocks-validated"), render: blocks },
  withdrawals: { json: below("withdrawals"), render: withdrawalsTab },
  contract: { json: contractJson, render: contractTab },
  read: { json: contractJson, render: readTab(false) },
  write: { json: contractJson, render: writeTab(false) },
  "read-proxy": { json: contractJson, render: readTab(true) },
  "write-proxy": { json: contractJson, render: writeTab(true) },
} as const satisfies Record<string, AddressTab>;

async function tokens(...[{ network }, { address }, query, path]: Render) {
  const [{ balances, info }, rates] = await Promise.all([
    listTokenBalances(network, address, parsePage(query)),
    readRates(network),
  ]);
  const copies = await findCopies(
    network,
    balances.map(({ token }) => token),
  );
  const dollarsOf = ({ token, tokenId, amount: value }: (typeof balances)[number]) =>
    tokenId === undefined ? assetDollars({ token, amount: value }, rates) : undefined;
  const hasPrices = rates.coin !== undefined;
  const total = balances.reduce((sum, balance) => sum + (dollarsOf(balance) ?? 0), 0);
  const hasItems = balances.some(({ tokenId }) => tokenId !== undefined);
  const isWhole = info.total === balances.length;
  const rows = balances.map((balance) => {
    const dollars = dollarsOf(balance);
    const worth = dollars === undefined ? "–" : dollarAmount(dollars);
    return [...balanceCells(balance, hasItems, { names: network.names, copies }), ...(hasPrices ? [worth] : [])];
  });
  const columns: Column[] = [
    { title: "Token" },
    { title: "Standard", card: "plain" },
    ...(hasItems ? [{ title: "Item" }] : []),
    { title: "Balance", isNumber: true, ...(!hasPrices && { card: "end" as const }) },
    ...(hasPrices ? [{ title: "Value", isNumber: true, card: "end" } as const] : []),
  ];
  const sum = hasPrices && isWhole && html`<p class="quiet">Tokens worth ${dollarAmount(total)} at today's prices.</p>`;
  return html`${sum}${table(columns, rows, "It has no tokens.")}${pager(info, path, { tab: "tokens" })}`;
}

function balanceCells(
  { token, tokenId, amount: value }: TokenBalance,
  hasItems: boolean,
  names: TokenNames,
): Content[] {
  return [
    html`${markedToken(token, names)} <span class="quiet">${named(token.seen?.name.text ?? "", 30)}</span>`,
    kindOf(token),
    ...(hasItems ? [tokenId === undefined ? "" : itemLink(token.address, tokenId)] : []),
    amount(value, { decimals: token.seen?.decimals ?? null }),
  ];
}

const POSITIONS = 25;

async function positions(...[{ network }, { address }, query, path]: Render) {
  const request = parsePage<never>(query, POSITIONS);
  const found = await listProfits(network, toHex(address), request);
  const { profits: shown = [], total = 0 } = found ?? {};
  const info = { ...request, total, next: null, block: null, since: null };
  return html`${userPositionRows(shown)}${pager(info, path, { tab: "positions" })}`;
}

async function internal(...[{ network, site }, { address }, query, path]: Render) {
  const [page, rates] = await Promise.all([
    listAddressInternalTransactions(network, address, parsePage(query)),
    readRates(network),
  ]);
  const options = { owner: address, rates, names: network.names, coin: site.coin };
  return html`${internalRows(page.calls, page.addresses, options)}${pager(page.info, path, { tab: "internal" })}`;
}

async function balance(...[{ network, site }, { address }, query, path]: Render) {
  const { balances, info } = await listCoinBalances(network, address, parsePage(query));
  const rows = balances.map(({ header, value, delta }) => [
    blockLink(header.number),
    time(header.timestamp),
    coins(value, site.coin),
    delta === 0n
      ? coins(delta, site.coin)
      : html`<span class="${delta > 0n ? "gain" : "loss"}">${delta > 0n && "+"}${coins(delta, site.coin)}</span>`,
  ]);
  const columns: Column[] = [
    { title: "Block" },
    { title: "Time", card: "plain" },
    { title: "Balance", isNumber: true, card: "end" },
    { title: "Change", isNumber: true },
  ];
  return html`${balances.length > 1 && balanceChart(balances, site.coin)}
${table(columns, rows, "Its balance never changed.")}${pager(info, path, { tab: "balance" })}`;
}

function balanceChart(balances: readonly CoinBalance[], coin: string): Html {
  const points = balances.toReversed().map(({ header, value }) => {
    const exact = formatUnits(value, 18).replaceAll(",", "");
    return { start: header.timestamp, value: Number(exact), text: `${roundUnits(value, 18)} ${coin}`, exact };
  });
  return timeChart({ title: "Balance", kind: "line", step: 0, points });
}

async function logs(...[{ network, site }, { address }, query, path]: Render) {
  const page = await listAddressLogs(network, address, parsePage(query, LOGS));
  return html`${await logList(network, page, { coin: site.coin, isOfAddress: true })}${pager(page.info, path, { tab: "logs" })}`;
}

async function blocks(...[{ network, site }, { address }, query, path]: Render) {
  const page = await listMinedBlocks(network, address, parsePage(query));
  return html`${blockTable(page.blocks, page.addresses, site.coin)}${pager(page.info, path, { tab: "blocks" })}`;
}
