import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { BlockView } from "../../../query/blocks/block.ts";
import { feesOf as blockFeesOf } from "../../../query/blocks/block.ts";
import type { Method } from "../../../query/decode/method.ts";
import type { TransferView } from "../../../query/tokens/transfers.ts";
import type { ListedCall } from "../../../query/traces/internalTransactions.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../../store/stages/tokens/read/transferReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, coins, count, figure, gwei, percent, safeText, time } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, blockLink, itemLink, tokenLink, transactionLink } from "./links.ts";
import type { Column } from "./table.ts";
import { table } from "./table.ts";

const number = (title: string): Column => ({ title, isNumber: true });

export function bar(part: number | bigint, whole: number | bigint): Html {
  const share = percent(part, whole);
  return html`<span class="fill"><meter min="0" max="100" value="${share.replace(/^<|%$/g, "")}" aria-label="${share}"></meter> ${share}</span>`;
}

export function blockTable(blocks: readonly BlockView[], addresses: AddressInfos, coin: string): Html {
  const columns = [
    "Block",
    "Time",
    number("Transactions"),
    "Miner",
    number("Gas used"),
    number("Base fee"),
    number("Reward"),
    number("Burnt"),
  ];
  const rows = blocks.map((block): Content[] => {
    const { header, sums, reward } = block;
    const { burnt } = blockFeesOf(block);
    return [
      blockLink(header.number),
      time(header.timestamp),
      figure(sums.transactions),
      addressLink(header.miner, addresses),
      html`${figure(header.gasUsed)} ${bar(header.gasUsed, uintToBigInt(header.gasLimit))}`,
      header.baseFeePerGas === undefined ? "–" : gwei(uintToBigInt(header.baseFeePerGas)),
      reward === null ? "–" : coins(reward, coin),
      burnt === null ? "–" : coins(burnt, coin),
    ];
  });
  return table(columns, rows, "There are no blocks here.");
}

/** Method name, or the kind of transaction. */
export function methodBadge(method: Method | undefined, isCreation = false): Html {
  if (isCreation) return html`<span class="method">create</span>`;
  if (method === undefined) return html`<span class="method plain">transfer</span>`;
  const text = typeof method === "string" ? method : toHex(method);
  return html`<span class="method" title="${safeText(text, 200)}"><bdi>${safeText(text, 22)}</bdi></span>`;
}

const FAILED = html`<span class="status failed" title="Failed"><span aria-hidden="true">✕</span><span class="hidden">Failed</span></span>`;

function party(address: Bytes, addresses: AddressInfos, owner: Bytes | undefined): Html {
  const link = addressLink(address, addresses);
  return owner !== undefined && equalBytes(address, owner) ? html`<span class="self">${link}</span>` : link;
}

function direction(from: Bytes, to: Bytes | null, owner: Bytes): Html {
  const isOut = equalBytes(from, owner);
  const isIn = to !== null && equalBytes(to, owner);
  const word = isOut && isIn ? "self" : isOut ? "out" : "in";
  return html`<span class="direction ${word}">${word}</span> `;
}

export function transferAmount({ kind, tokenId, amount: value }: MinedTransfer, { address, seen }: KnownToken): Html {
  const item = tokenId && itemLink(address, tokenId);
  if (kind === "ERC-721") return html`${item}`;
  return html`${amount(uintToBigInt(value), { decimals: seen?.decimals ?? null })}${item && html` of ${item}`}`;
}

interface TransferOptions {
  readonly owner?: Bytes;
  readonly isOfTransaction?: boolean;
  readonly names?: Names;
}

/** Omits the transaction column on a transaction's page. */
export function transferTable(
  transfers: readonly TransferView[],
  addresses: AddressInfos,
  { owner, isOfTransaction = false, names }: TransferOptions = {},
): Html {
  const where = isOfTransaction ? [number("Log")] : ["Transaction", "Method", "Time"];
  const columns = [...where, "From", "To", number("Amount"), "Token"];
  const rows = transfers.map(({ transfer, token, method }): Content[] => {
    const { mined, from, to } = transfer;
    const place = isOfTransaction
      ? [transfer.logIndex]
      : [
          transactionLink(mined.transaction.hash),
          methodBadge(method, mined.transaction.to === null),
          time(mined.block.header.timestamp),
        ];
    return [
      ...place,
      isZero(from) ? MINTED : party(from, addresses, owner),
      html`${owner && direction(from, to, owner)}${isZero(to) ? BURNT : party(to, addresses, owner)}`,
      transferAmount(transfer, token),
      tokenLink(token, names),
    ];
  });
  return table(columns, rows, "There are no token transfers.");
}

const MINTED = html`<span class="quiet">minted</span>`;
const BURNT = html`<span class="quiet">burnt</span>`;

export function internalTable(
  calls: readonly ListedCall[],
  addresses: AddressInfos,
  coin: string,
  owner?: Bytes,
): Html {
  const columns = ["Transaction", "Kind", "Block", "Time", "From", "To", number("Value")];
  const rows = calls.map((call): Content[] => [
    html`${transactionLink(call.mined.transaction.hash)}${call.error !== undefined && FAILED}`,
    html`<span class="method">${call.type.toLowerCase()}</span>`,
    blockLink(call.mined.block.header.number),
    time(call.mined.block.header.timestamp),
    party(call.from, addresses, owner),
    call.to === null ? "–" : html`${owner && direction(call.from, call.to, owner)}${party(call.to, addresses, owner)}`,
    coins(uintToBigInt(call.value), coin),
  ]);
  return table(columns, rows, "There are no internal transactions.");
}

/** A count with its noun. */
export function counted(howMany: number, one: string, several = `${one}s`): string {
  return `${count(howMany)} ${howMany === 1 ? one : several}`;
}
