import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import { feesOf } from "../../../query/transactions/transactionFees.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext } from "../context.ts";
import { methodName } from "../parts/actionText.ts";
import { coins, count, figure, gwei, time } from "../parts/format.ts";
import { addressLink, blockLink, copyButton, fullAddress, shorten, wholeHash } from "../parts/links.ts";
import { valuedCoins } from "../parts/money.ts";
import { reasonLine } from "../parts/revertReason.ts";
import { bar, counted } from "../parts/rows.ts";
import { facts } from "../parts/table.ts";

/** Beside the title: whether it succeeded, where and when. */
export function transactionChips({ transaction: tx, outcome, failure }: TransactionDetails): Html {
  const hash = html`<span class="chip plain"><code>${shorten(toHex(tx.hash), 10, 8)}</code>${copyButton(toHex(tx.hash))}</span>`;
  if (outcome === undefined) return html`<p class="chips"><span class="chip status pending">Pending</span> ${hash}</p>`;
  const { receipt, header, confirmations } = outcome;
  const isOk = receipt.status === 1 && failure === undefined;
  const status =
    receipt.status !== undefined &&
    html`<span class="chip status ${isOk ? "ok" : "failed"}">${isOk ? "✓ Success" : "✕ Failed"}</span> `;
  return html`<p class="chips">${status}<span class="chip">Block <a href="/block/${header.number}">${count(header.number)}</a> · ${counted(confirmations, "confirmation")}</span> <span class="chip">${time(header.timestamp)}</span> ${hash}</p>`;
}

/** The facts that most readers look for; the rest is folded. */
export function transactionFacts(
  details: TransactionDetails,
  { site, network }: Pick<WebContext, "site" | "network">,
  rates: Rates,
): Html {
  const rest = [...priceFacts(details, site.coin), ...blobFacts(details, site.coin), ...otherFacts(details, network)];
  return html`${facts([
    ...outcomeFacts(details),
    ...partyFacts(details, site.coin),
    ...feeFacts(details, site.coin, rates),
  ])}
<details class="more"><summary>More <span class="quiet">position, fees, nonce, type${details.transaction.accessList?.length ? ", access list" : ""}</span></summary>${facts(rest)}</details>`;
}

type Fact = readonly [string, Content] | false;

function outcomeFacts({ transaction: tx, outcome, failure }: TransactionDetails): Fact[] {
  const hash = ["Hash", wholeHash(tx.hash)] as const;
  if (outcome === undefined) return [hash, ["Status", html`<span class="status pending">Pending</span>`]];
  const { receipt, header, confirmations } = outcome;
  return [
    hash,
    ["Status", statusOf(receipt.status, failure)],
    ["Block", html`${blockLink(header.number)} <span class="quiet">${figure(confirmations)} confirmations</span>`],
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
  const { fee } = feesOf(details);
  const limit = uintToBigInt(tx.gas);
  const used = outcome?.receipt.gasUsed;
  return [
    ["Value", valuedCoins(uintToBigInt(tx.value), coin, rates)],
    [outcome === undefined ? "Max transaction fee" : "Transaction fee", valuedCoins(fee, coin, rates)],
    used !== undefined && ["Gas used", html`${figure(used)} of ${figure(limit)} ${bar(used, limit)}`],
    used === undefined && ["Gas limit", figure(limit)],
  ];
}

function priceFacts(details: TransactionDetails, coin: string): Fact[] {
  const { transaction: tx, outcome } = details;
  const { shares } = feesOf(details);
  const price = outcome?.receipt.effectiveGasPrice ?? tx.gasPrice;
  return [
    price !== undefined && ["Gas price", gwei(uintToBigInt(price), true)],
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

function otherFacts({ transaction: tx, outcome }: TransactionDetails, network: WebContext["network"]): Fact[] {
  return [
    outcome !== undefined && ["Position in block", figure(outcome.index)],
    ["Access list", accessList(tx, network)],
    ["Type", html`${figure(tx.type)} <span class="quiet">${TYPES[tx.type]}</span>`],
    ["Nonce", figure(uintToBigInt(tx.nonce))],
  ];
}
