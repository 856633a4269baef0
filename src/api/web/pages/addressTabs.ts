import type { Account } from "../../../query/accounts/account.ts";
import type { CoinBalance } from "../../../query/accounts/coinBalances.ts";
import { listCoinBalances } from "../../../query/accounts/coinBalances.ts";
import { listMinedBlocks } from "../../../query/blocks/blockPages.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listTokenBalances } from "../../../query/tokens/balances.ts";
import { kindOf } from "../../../query/tokens/token.ts";
import { listAddressTransfers } from "../../../query/tokens/transfers.ts";
import { listAddressInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listAddressLogs } from "../../../query/transactions/logs.ts";
import { listAddressTransactions } from "../../../query/transactions/transactionPages.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { parsePage } from "../params.ts";
import { amount, coins, formatUnits, named, roundUnits, time } from "../parts/format.ts";
import type { Names } from "../parts/links.ts";
import { blockLink, itemLink, tokenLink } from "../parts/links.ts";
import { logList } from "../parts/logList.ts";
import { assetDollars, dollarAmount } from "../parts/money.ts";
import { blockTable, internalTable, transferTable } from "../parts/rows.ts";
import { pager, table } from "../parts/table.ts";
import { timeChart } from "../parts/timeChart.ts";
import { transactionRows } from "../parts/transactionRows.ts";
import { readTab, writeTab } from "./callTabs.ts";
import { contractTab } from "./contractTab.ts";
import { withdrawalsTab } from "./withdrawalsTab.ts";

interface AddressTab {
  /** Path of the same data in the REST API. */
  readonly json: (address: string) => string;
  readonly render: (context: WebContext, account: Account, query: WebRequest["query"], path: string) => Promise<Html>;
}

type Render = Parameters<AddressTab["render"]>;

const below = (name: string) => (address: string) => `addresses/${address}/${name}`;

const contractJson = (address: string) => `smart-contracts/${address}`;

const LOGS = 25;

export const ADDRESS_TABS = {
  transactions: { json: below("transactions"), render: transactions },
  transfers: { json: below("token-transfers"), render: transfers },
  tokens: { json: below("token-balances"), render: tokens },
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

async function transactions(...[{ network, site }, { address }, query, path]: Render) {
  const [page, rates] = await Promise.all([
    listAddressTransactions(network, address, parsePage(query), "actions"),
    readRates(network),
  ]);
  return html`${transactionRows(page, { coin: site.coin, rates, names: network.names, owner: address })}${pager(page.info, path)}`;
}

async function transfers(...[{ network }, { address }, query, path]: Render) {
  const page = await listAddressTransfers(network, address, parsePage(query));
  const rows = transferTable(page.transfers, page.addresses, { owner: address, names: network.names });
  return html`${rows}${pager(page.info, path, { tab: "transfers" })}`;
}

async function tokens(...[{ network }, { address }, query, path]: Render) {
  const [{ balances, info }, rates] = await Promise.all([
    listTokenBalances(network, address, parsePage(query)),
    readRates(network),
  ]);
  const dollarsOf = ({ token, tokenId, amount: value }: (typeof balances)[number]) =>
    tokenId === undefined ? assetDollars({ token, amount: value }, rates) : undefined;
  const hasPrices = rates.coin !== undefined;
  const total = balances.reduce((sum, balance) => sum + (dollarsOf(balance) ?? 0), 0);
  const isWhole = info.total === balances.length;
  const rows = balances.map((balance) => {
    const { token, tokenId, amount: value } = balance;
    const dollars = dollarsOf(balance);
    const worth = dollars === undefined ? "–" : dollarAmount(dollars);
    return [...balanceCells(token, tokenId, value, network.names), ...(hasPrices ? [worth] : [])];
  });
  const number = (title: string) => ({ title, isNumber: true });
  const columns = ["Token", "Name", "Standard", "Item", number("Balance"), ...(hasPrices ? [number("Value")] : [])];
  const sum = hasPrices && isWhole && html`<p class="quiet">Tokens worth ${dollarAmount(total)} at today's prices.</p>`;
  return html`${sum}${table(columns, rows, "It has no tokens.")}${pager(info, path, { tab: "tokens" })}`;
}

function balanceCells(token: KnownToken, tokenId: Uint8Array | undefined, value: bigint, names: Names): Content[] {
  return [
    tokenLink(token, names),
    named(token.seen?.name.text ?? ""),
    kindOf(token),
    tokenId === undefined ? "–" : itemLink(token.address, tokenId),
    amount(value, { decimals: token.seen?.decimals ?? null }),
  ];
}

async function internal(...[{ network, site }, { address }, query, path]: Render) {
  const page = await listAddressInternalTransactions(network, address, parsePage(query));
  return html`${internalTable(page.calls, page.addresses, site.coin, address)}${pager(page.info, path, { tab: "internal" })}`;
}

async function balance(...[{ network, site }, { address }, query, path]: Render) {
  const { balances, info } = await listCoinBalances(network, address, parsePage(query));
  const rows = balances.map(({ header, value, delta }) => [
    blockLink(header.number),
    time(header.timestamp),
    coins(value, site.coin, true),
    coins(delta, site.coin, true),
  ]);
  const columns = ["Block", "Time", { title: "Balance", isNumber: true }, { title: "Change", isNumber: true }];
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

async function logs(...[{ network }, { address }, query, path]: Render) {
  const page = await listAddressLogs(network, address, parsePage(query, LOGS));
  return html`${logList(page.logs, page.addresses, true)}${pager(page.info, path, { tab: "logs" })}`;
}

async function blocks(...[{ network, site }, { address }, query, path]: Render) {
  const page = await listMinedBlocks(network, address, parsePage(query));
  return html`${blockTable(page.blocks, page.addresses, site.coin)}${pager(page.info, path, { tab: "blocks" })}`;
}
