import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { TransferView } from "../../../query/tokens/transfers.ts";
import type { ListedCall } from "../../../query/traces/internalTransactions.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { coins, time } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, blockLink, hashLink, markedToken } from "./links.ts";
import { assetDollars, dollarAmount } from "./money.ts";
import { methodBadge, transferAmount } from "./rows.ts";

interface RowOptions {
  readonly rates: Rates;
  readonly names: Names;
  /** The account on whose page they are. */
  readonly owner?: Bytes | undefined;
  readonly isOfTransaction?: boolean;
  readonly copies: ReadonlySet<KnownToken>;
}

export type Direction = "in" | "out" | "self" | undefined;

export const DIRECTION_ICONS = { in: "←", out: "→", self: "↺" } as const;

/** Who sent what to whom, by which transaction, and what it is worth. */
export function transferRows(
  transfers: readonly TransferView[],
  addresses: AddressInfos,
  { rates, names, owner, isOfTransaction = false, copies }: RowOptions,
): Html {
  if (transfers.length === 0) return html`<p class="none">There are no token transfers.</p>`;
  const rows = transfers.map(({ transfer, token, method }) => {
    const { mined, from, to, logIndex } = transfer;
    const [isMint, isBurn] = [isZero(from), isZero(to)];
    const direction = directionOf(from, to, owner);
    const parties = moved({
      verb: isMint ? "Minted" : isBurn ? "Burnt" : undefined,
      direction,
      what: html`${transferAmount(transfer, token)} ${markedToken(token, { names, copies })}`,
      from: isMint ? undefined : addressLink(from, addresses, names),
      to: isBurn ? undefined : addressLink(to, addresses, names),
    });
    const about = isOfTransaction
      ? html`log ${logIndex}`
      : html`${hashLink(mined.transaction.hash)}${DOT}${methodBadge(method, mined.transaction.to === null)}`;
    const amount = uintToBigInt(transfer.amount);
    const dollars = transfer.tokenId === undefined ? assetDollars({ token, amount }, rates) : undefined;
    return row({
      key: `${toHex(mined.transaction.hash)}-${logIndex}`,
      icon: isMint || isBurn ? "◆" : DIRECTION_ICONS[direction ?? "out"],
      headline: parties,
      about,
      worth: dollars === undefined ? undefined : directed(direction, dollarAmount(dollars)),
      when: isOfTransaction ? undefined : time(mined.block.header.timestamp),
    });
  });
  return html`<ol class="rows">${rows}</ol>`;
}

interface InternalOptions extends Omit<RowOptions, "isOfTransaction" | "copies"> {
  readonly coin: string;
}

/** Calls between contracts that moved coins, or made or ended contracts. */
export function internalRows(
  calls: readonly ListedCall[],
  addresses: AddressInfos,
  { rates, names, owner, coin }: InternalOptions,
): Html {
  if (calls.length === 0) return html`<p class="none">There are no internal transactions.</p>`;
  const rows = calls.map((call, at) => {
    const { from, to, value: bytes, type, error, mined } = call;
    const value = uintToBigInt(bytes);
    const direction = to === null ? undefined : directionOf(from, to, owner);
    const dollars = value === 0n ? undefined : assetDollars({ token: null, amount: value }, rates);
    const hash = mined.transaction.hash;
    return row({
      key: `${toHex(hash)}-${at}`,
      icon: error !== undefined ? "✕" : isCreation(call) ? "{}" : DIRECTION_ICONS[direction ?? "out"],
      isFailed: error !== undefined,
      headline: headlineOf(call, { addresses, names, direction, coin }),
      about: html`${hashLink(hash)}${DOT}<span class="method">${type.toLowerCase()}</span>${error !== undefined && html`${DOT}<span class="status failed">failed</span>`}<span class="block">${DOT}block ${blockLink(mined.block.header.number)}</span>`,
      worth: dollars === undefined ? undefined : directed(direction, dollarAmount(dollars)),
      when: time(mined.block.header.timestamp),
    });
  });
  return html`<ol class="rows">${rows}</ol>`;
}

const isCreation = ({ type }: ListedCall): boolean => /^create/i.test(type);

interface HeadlineOptions extends Pick<InternalOptions, "names" | "coin"> {
  readonly addresses: AddressInfos;
  readonly direction: Direction;
}

function headlineOf(call: ListedCall, { addresses, names, direction, coin }: HeadlineOptions): Html {
  const { from, to, value: bytes, error } = call;
  const value = uintToBigInt(bytes);
  const [maker, other] = [from, to].map((party) => party && addressLink(party, addresses, names));
  if (isCreation(call)) {
    const coinsGiven = value > 0n && html` with ${coins(value, coin)}`;
    if (error !== undefined || !other) return html`${maker} failed to create a contract`;
    return html`${maker} created ${other}${coinsGiven}`;
  }
  return moved({ verb: undefined, direction, what: coins(value, coin), from: maker!, to: other ?? undefined });
}

export const DOT = html`<span class="dot"> · </span>`;

interface Row {
  readonly key: string;
  readonly icon: string;
  readonly isFailed?: boolean;
  readonly headline: Content;
  readonly about: Content;
  readonly worth: Content;
  readonly when: Content;
}

export function row({ key, icon, isFailed = false, headline, about, worth, when }: Row): Html {
  return html`<li data-key="${key}"><span class="icon${isFailed && " failed"}" aria-hidden="true">${icon}</span><div class="what"><p class="headline">${headline}</p>
<p class="under">${about}</p></div><div class="worth"><p>${worth}</p><p class="under">${when}</p></div></li>
`;
}

function directionOf(from: Bytes, to: Bytes, owner: Bytes | undefined): Direction {
  if (owner === undefined) return undefined;
  const [isOut, isIn] = [equalBytes(from, owner), equalBytes(to, owner)];
  return isOut && isIn ? "self" : isOut ? "out" : isIn ? "in" : undefined;
}

interface Moved {
  readonly verb: string | undefined;
  readonly direction: Direction;
  readonly what: Html;
  readonly from: Html | undefined;
  readonly to: Html | undefined;
}

/** On the page of a party only the other one is named. */
function moved({ verb, direction, what, from, to }: Moved): Html {
  const source = from && html` from ${from}`;
  const target = to && html` to ${to}`;
  if (verb !== undefined) return html`${verb} ${what}${direction === undefined && (target ?? html` of ${from}`)}`;
  if (direction === "in") return html`Received ${what}${source}`;
  if (direction === "out") return html`Sent ${what}${target}`;
  return html`${what}${source}${target}`;
}

export function directed(direction: Direction, worth: Html | undefined): Html | undefined {
  if (worth === undefined) return undefined;
  if (direction !== "in" && direction !== "out") return worth;
  return html`<span class="${direction === "in" ? "gain" : "loss"}">${worth}</span>`;
}
