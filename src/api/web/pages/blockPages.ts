import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { BlockView } from "../../../query/blocks/block.ts";
import { feesOf, findBlock } from "../../../query/blocks/block.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import { readCountdown } from "../../../query/blocks/countdown.ts";
import { listWithdrawals } from "../../../query/blocks/withdrawals.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listBlockInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listBlockBlobs } from "../../../query/transactions/blockBlobs.ts";
import { listBlockTransactions } from "../../../query/transactions/transactionPages.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseBlockId, parseChoice, parsePage } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { coins, count, figure, gwei, safeText, time } from "../parts/format.ts";
import { addressLink, blockLink, fullAddress, transactionLink, wholeHash } from "../parts/links.ts";
import { bar, blockTable, counted } from "../parts/rows.ts";
import { facts, pager, table, tabs } from "../parts/table.ts";
import { transactionRows } from "../parts/transactionRows.ts";
import { internalRows } from "../parts/transferRows.ts";

export const BLOCK_PAGES: readonly WebRoute[] = [
  { path: "/blocks", serve: serveBlocks },
  { path: "/block/:id", serve: serveBlock },
];

async function serveBlocks({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const request = parsePage<never>(query);
  const { blocks, addresses, info } = await listBlocks(network, "block", request);
  const body = html`<h1>Blocks</h1>
<div data-live-part="blocks">${blockTable(blocks, addresses, site.coin)}</div>
${pager(info, "/blocks")}`;
  return { title: "Blocks", body, json: "/api/v2/blocks", isList: true, isLive: request.page === 1, scope: "index" };
}

const TABS = ["overview", "transactions", "internal", "blobs", "withdrawals"] as const;
const VIEWS = { overview, transactions, internal, blobs, withdrawals };
const JSON_PATHS = {
  overview: "",
  transactions: "/transactions",
  internal: "/internal-transactions",
  blobs: "/transactions",
  withdrawals: "/withdrawals",
} as const;

async function serveBlock(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const { network, site } = context;
  const id = parseBlockId(parameter);
  const found = await findBlock(network, id);
  if (found === undefined && typeof id === "number") return countdownPage(context, id);
  const { block, addresses, scope } = expectFound(found);
  const { number, withdrawals: { length: withdrawn } = [] } = block.header;
  const tab = parseChoice(query, "tab", TABS);
  const shown = await attempt(() => VIEWS[tab](context, block, query, addresses));
  const heading = html`<h1>Block <data value="${number}">${count(number)}</data></h1>
<p class="steps">${number > 0 && html`<a href="/block/${number - 1}" rel="prev">Previous</a>`} <a href="/block/${number + 1}" rel="next">Next</a></p>`;
  const all = [
    { name: "overview", title: "Overview" },
    { name: "transactions", title: "Transactions", count: block.sums.transactions },
    { name: "internal", title: "Internal transactions" },
    ...(block.sums.blobTransactions > 0 ? [{ name: "blobs", title: "Blobs" }] : []),
    ...(withdrawn > 0 ? [{ name: "withdrawals", title: "Withdrawals", count: withdrawn }] : []),
  ];
  const body = html`${heading}${tabs(all, tab, `/block/${parameter}`)}${shown}`;
  const json = `/api/v2/blocks/${toHex(block.header.hash)}${JSON_PATHS[tab]}`;
  return { title: `Block ${number} on ${site.chainName}`, body, json, scope, isList: tab !== "overview" };
}

async function overview({ site }: WebContext, block: BlockView, _: unknown, addresses: AddressInfos): Promise<Html> {
  const { header, sums, confirmations, reward, blobGasPrice } = block;
  const { burnt, priority } = feesOf(block);
  const gasLimit = uintToBigInt(header.gasLimit);
  return facts([
    ["Hash", wholeHash(header.hash)],
    [
      "Parent",
      header.number === 0
        ? html`<code>${toHex(header.parentHash)}</code>`
        : html`<a href="/block/${header.number - 1}"><code>${toHex(header.parentHash)}</code></a>`,
    ],
    ["Time", time(header.timestamp)],
    ["Confirmations", figure(confirmations)],
    [
      "Transactions",
      html`<a href="/block/${header.number}?tab=transactions">${counted(sums.transactions, "transaction")}</a>`,
    ],
    ["Miner", fullAddress(header.miner, addresses)],
    ["Gas used", html`${figure(header.gasUsed)} of ${figure(gasLimit)} ${bar(header.gasUsed, gasLimit)}`],
    header.baseFeePerGas !== undefined && ["Base fee per gas", gwei(uintToBigInt(header.baseFeePerGas), true)],
    burnt !== null && ["Burnt fees", coins(burnt, site.coin, true)],
    priority !== null && ["Priority fees", coins(priority, site.coin, true)],
    reward !== null && ["Reward", coins(reward, site.coin, true)],
    header.blobGasUsed !== undefined && ["Blob gas used", figure(header.blobGasUsed)],
    header.excessBlobGas !== undefined && ["Excess blob gas", figure(uintToBigInt(header.excessBlobGas))],
    blobGasPrice !== null && ["Blob gas price", gwei(blobGasPrice, true)],
    ["Size", html`${figure(header.size)} bytes`],
    ["State root", wholeHash(header.stateRoot)],
    [
      "Extra data",
      header.extraData.length === 0
        ? "none"
        : html`<code>${toHex(header.extraData)}</code>${readable(header.extraData)}`,
    ],
    ["Nonce", html`<code>${toHex(header.nonce)}</code>`],
  ]);
}

/** Miners often write a name into extra data. */
function readable(data: Uint8Array): Html | undefined {
  const text = new TextDecoder().decode(data);
  return /^[\x20-\x7e]+$/.test(text) ? html` <span class="quiet">${safeText(text)}</span>` : undefined;
}

async function transactions(
  { network, site }: WebContext,
  { header }: BlockView,
  query: WebRequest["query"],
): Promise<Html> {
  const [found, rates] = await Promise.all([
    listBlockTransactions(network, header.hash, parsePage(query), "actions"),
    readRates(network),
  ]);
  const page = expectFound(found);
  return html`${transactionRows(page, { coin: site.coin, rates, names: network.names })}
${pager(page.info, `/block/${header.number}`, { tab: "transactions" })}`;
}

async function internal(
  { network, site }: WebContext,
  { header }: BlockView,
  query: WebRequest["query"],
): Promise<Html> {
  const [found, rates] = await Promise.all([
    listBlockInternalTransactions(network, header.hash, parsePage(query)),
    readRates(network),
  ]);
  const page = expectFound(found);
  return html`${internalRows(page.calls, page.addresses, { rates, names: network.names, coin: site.coin })}
${pager(page.info, `/block/${header.number}`, { tab: "internal" })}`;
}

async function blobs({ network }: WebContext, { header }: BlockView): Promise<Html> {
  const found = await listBlockBlobs(network, header.number);
  const rows = found.map(({ versionedHash, transaction }, at) => [
    figure(at),
    html`<a href="/blob/${toHex(versionedHash)}"><code>${toHex(versionedHash)}</code></a>`,
    transactionLink(transaction),
  ]);
  return table(["#", "Versioned hash", "Transaction"], rows, "There are no blobs.");
}

async function withdrawals(
  { network, site }: WebContext,
  { header }: BlockView,
  query: WebRequest["query"],
): Promise<Html> {
  const page = expectFound(await listWithdrawals(network, header.hash, parsePage(query)));
  const rows = page.withdrawals.map(({ index, validatorIndex, address, wei }) => [
    ...[figure(index), figure(validatorIndex)],
    addressLink(address, page.addresses),
    coins(wei, site.coin),
  ]);
  const columns = ["Withdrawal", "Validator", "Receiver", { title: "Amount", isNumber: true }];
  return html`${table(columns, rows, "There are no withdrawals.")}
${pager(page.info, `/block/${header.number}`, { tab: "withdrawals" })}`;
}

/** Page of a future block. */
async function countdownPage({ network }: WebContext, id: number): Promise<WebPage> {
  const { height, remaining, seconds } = expectFound(await readCountdown(network, id));
  const when = new Date(Date.now() + Math.min(seconds, 1e10) * 1000);
  const body = html`<h1>Block <data value="${id}">${count(id)}</data> is still to come</h1>
${facts([
  ["Newest block", blockLink(height)],
  ["Blocks to go", figure(remaining)],
  seconds > 0 && ["Expected", time(Math.floor(when.getTime() / 1000))],
])}`;
  return { title: `Block ${id}`, body, json: `/api/v2/blocks/${id}/countdown`, isLive: true };
}
