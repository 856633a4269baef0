import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { readNetEffect } from "../../../query/traces/netEffect.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import { readTransaction } from "../../../query/transactions/transaction.ts";
import type { TransactionCounts } from "../../../query/transactions/transactionCounts.ts";
import { countTransaction } from "../../../query/transactions/transactionCounts.ts";
import { feesOf } from "../../../query/transactions/transactionFees.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseChoice, parseHash } from "../params.ts";
import { methodName } from "../parts/actionText.ts";
import { attempt } from "../parts/attempt.ts";
import { bytesView } from "../parts/bytesView.ts";
import { decodedTable } from "../parts/decoded.ts";
import { coins, figure, gwei, percent, time } from "../parts/format.ts";
import { addressLink, blockLink, fullAddress, wholeHash } from "../parts/links.ts";
import { valuedCoins } from "../parts/money.ts";
import { netEffect } from "../parts/netEffect.ts";
import { reasonLine, reasonSection } from "../parts/revertReason.ts";
import { transferTable } from "../parts/rows.ts";
import { summaryCard } from "../parts/summary.ts";
import { facts, section, tabs } from "../parts/table.ts";
import { TRANSACTION_TABS } from "./transactionTabs.ts";

export const TRANSACTION_PAGES: readonly WebRoute[] = [{ path: "/tx/:hash", serve: serveTransaction }];

const NAMES = ["overview", "transfers", "logs", "internal", "state", "trace", "blobs", "authorizations"] as const;

async function serveTransaction(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const { network } = context;
  const hash = parseHash(parameter);
  const tab = parseChoice(query, "tab", NAMES);
  const [found, counts, rates] = await Promise.all([
    readTransaction(network, hash),
    countTransaction(network, hash),
    readRates(network),
  ]);
  const details = expectFound(found);
  const path = `/tx/${toHex(hash)}`;
  const rendered =
    tab === "overview"
      ? await overview(context, details, rates, `/api/v2/transactions/${toHex(hash)}`)
      : await attempt(() => TRANSACTION_TABS[tab].render(context, details, query, path));
  const body = html`<h1>Transaction</h1>
${summaryCard(details, { coin: context.site.coin, rates, names: network.names })}
${tabs(tabsOf(details, counts), tab, path)}
${rendered}`;
  const json = `/api/v2/transactions/${toHex(hash)}${tab === "overview" ? "" : TRANSACTION_TABS[tab].json}`;
  const scope = tab === "overview" ? details.scope : undefined;
  return {
    title: `Transaction ${toHex(hash).slice(0, 12)}…`,
    body,
    json,
    isList: tab !== "overview" && TRANSACTION_TABS[tab].json !== "",
    scope,
    isLive: details.outcome === undefined,
  };
}

function tabsOf({ transaction: tx }: TransactionDetails, counts: TransactionCounts | undefined) {
  const all = [
    { name: "overview", title: "Overview" },
    { name: "transfers", title: "Token transfers", count: counts?.transfers },
    { name: "logs", title: "Logs", count: counts?.logs },
    { name: "internal", title: "Internal", count: counts?.internal },
    { name: "state", title: "State" },
    { name: "trace", title: "Trace" },
  ];
  if (tx.type === 3) all.push({ name: "blobs", title: "Blobs", count: tx.blobVersionedHashes?.length });
  if (tx.type === 4) all.push({ name: "authorizations", title: "Authorizations", count: tx.authorizationList?.length });
  return all;
}

async function overview(
  { site, network }: WebContext,
  details: TransactionDetails,
  rates: Rates,
  json: string,
): Promise<Html> {
  const { transfers, failure, copies } = details;
  const effects = await readNetEffect(network, details);
  const effect =
    effects !== undefined &&
    effects.length > 0 &&
    netEffect(effects, details, { copies, coin: site.coin, rates, names: network.names });
  const moved =
    transfers !== undefined &&
    transfers.transfers.length > 0 &&
    section(
      "Token transfers",
      transferTable(transfers.transfers, transfers.addresses, { isOfTransaction: true, names: network.names }),
      transfers.count > transfers.transfers.length && html`<a href="?tab=transfers">All</a>`,
    );
  return html`${effect}${facts([...outcomeFacts(details), ...partyFacts(details, site.coin), ...feeFacts(details, site.coin, rates), ...blobFacts(details, site.coin), ...otherFacts(details, network)])}
${failure && (await reasonSection(failure.reason, json))}${moved}${inputSection(details, json)}`;
}

type Fact = readonly [string, Content] | false;

function outcomeFacts({ transaction: tx, outcome, failure }: TransactionDetails): Fact[] {
  const hash = ["Hash", wholeHash(tx.hash)] as const;
  if (outcome === undefined) return [hash, ["Status", html`<span class="status pending">Pending</span>`]];
  const { receipt, header, confirmations, index } = outcome;
  return [
    hash,
    ["Status", statusOf(receipt.status, failure)],
    ["Block", html`${blockLink(header.number)} <span class="quiet">${figure(confirmations)} confirmations</span>`],
    ["Position", figure(index)],
    ["Time", time(header.timestamp)],
  ];
}

function statusOf(status: 0 | 1 | undefined, failure: TransactionDetails["failure"]): Html {
  if (status === undefined) return html`<span class="status">Not recorded</span>`;
  if (status === 1) return html`<span class="status ok">Success</span>`;
  const reason =
    failure &&
    html` <span class="reason"><bdi>${failure.error}${failure.reason !== null && html`: ${reasonLine(failure.reason)}`}</bdi></span>`;
  return html`<span class="status failed">Failed</span>${reason}`;
}

function partyFacts({ transaction: tx, outcome, addresses, actions }: TransactionDetails, coin: string): Fact[] {
  const created = tx.to === null ? outcome?.receipt.contractAddress : undefined;
  const { method, parts } = actions.call;
  const part = ({ to, method: inner, value }: (typeof parts)[number]) =>
    html`<li>${inner === undefined ? "payment" : methodName(inner)} on ${addressLink(to, addresses)}${value > 0n && html` with ${coins(value, coin)}`}</li>`;
  return [
    ["From", fullAddress(tx.from, addresses)],
    method !== undefined && [
      "Called",
      html`${methodName(method)}${parts.length > 0 && html`<ol class="values" start="0">${parts.map(part)}</ol>`}`,
    ],
    tx.to !== null && ["To", fullAddress(tx.to, addresses)],
    created !== undefined && created !== null && ["Created contract", fullAddress(created, addresses)],
  ];
}

function feeFacts(details: TransactionDetails, coin: string, rates: Rates): Fact[] {
  const { transaction: tx, outcome } = details;
  const { fee, shares } = feesOf(details);
  const price = outcome?.receipt.effectiveGasPrice ?? tx.gasPrice;
  const limit = uintToBigInt(tx.gas);
  const used = outcome?.receipt.gasUsed;
  return [
    ["Value", valuedCoins(uintToBigInt(tx.value), coin, rates)],
    [outcome === undefined ? "Max transaction fee" : "Transaction fee", valuedCoins(fee, coin, rates)],
    price !== undefined && ["Gas price", gwei(uintToBigInt(price), true)],
    used !== undefined && [
      "Gas used",
      html`${figure(used)} of ${figure(limit)} <span class="quiet">${percent(used, limit)}</span>`,
    ],
    used === undefined && ["Gas limit", figure(limit)],
    tx.maxFeePerGas !== undefined && ["Max fee", gwei(uintToBigInt(tx.maxFeePerGas), true)],
    tx.maxPriorityFeePerGas !== undefined && ["Max priority fee", gwei(uintToBigInt(tx.maxPriorityFeePerGas), true)],
    shares !== undefined && ["Burnt fees", coins(shares.burnt, coin, true)],
    shares !== undefined && ["Priority fee", html`${coins(shares.priority, coin, true)} to the miner`],
  ];
}

/** The fee of a blob transaction is its burnt fees, the priority fee and the blob fee. */
function blobFacts({ transaction: tx, outcome }: TransactionDetails, coin: string): Fact[] {
  const { blobGasUsed, blobGasPrice } = outcome?.receipt ?? {};
  return [
    tx.maxFeePerBlobGas !== undefined && ["Max fee per blob gas", gwei(uintToBigInt(tx.maxFeePerBlobGas), true)],
    blobGasUsed !== undefined && ["Blob gas used", figure(blobGasUsed)],
    blobGasPrice !== undefined && ["Blob gas price", gwei(uintToBigInt(blobGasPrice), true)],
    blobGasUsed !== undefined &&
      blobGasPrice !== undefined && [
        "Burnt blob fee",
        coins(uintToBigInt(blobGasPrice) * BigInt(blobGasUsed), coin, true),
      ],
  ];
}

const TYPES = ["legacy", "access list (EIP-2930)", "fee market (EIP-1559)", "blob (EIP-4844)", "set code (EIP-7702)"];

const MAX_ACCESSED = 100;

function accessList(
  { accessList: list = [] }: TransactionDetails["transaction"],
  { names }: WebContext["network"],
): Html | undefined {
  if (list.length === 0) return undefined;
  const entry = ({ address, storageKeys }: (typeof list)[number]) =>
    html`<li>${addressLink(address, NO_INFOS, names)} <span class="quiet">${figure(storageKeys.length)} slots</span></li>`;
  const more = list.length > MAX_ACCESSED && html`<li class="quiet">${figure(list.length - MAX_ACCESSED)} more</li>`;
  return html`<details><summary>${figure(list.length)} contracts</summary><ol class="values" start="0">${list.slice(0, MAX_ACCESSED).map(entry)}${more}</ol></details>`;
}

const NO_INFOS: TransactionDetails["addresses"] = new Map();

function otherFacts({ transaction: tx }: TransactionDetails, network: WebContext["network"]): Fact[] {
  return [
    ["Access list", accessList(tx, network)],
    ["Type", html`${figure(tx.type)} <span class="quiet">${TYPES[tx.type]}</span>`],
    ["Nonce", figure(uintToBigInt(tx.nonce))],
  ];
}

function inputSection({ transaction: tx, decoded }: TransactionDetails, json: string): Html | undefined {
  if (tx.input.length === 0) return undefined;
  return section("Input", html`${decoded && decodedTable(decoded)}${bytesView(tx.input as Bytes, json)}`);
}
