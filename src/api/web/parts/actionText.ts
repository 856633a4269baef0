import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { ActionPool, Asset, TransactionActions } from "../../../query/actions/action.ts";
import { describeActions } from "../../../query/actions/sentence.ts";
import type { Part } from "../../../query/actions/sentenceParts.ts";
import type { Method } from "../../../query/decode/method.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, count, named, safeText } from "./format.ts";
import type { Names } from "./links.ts";
import { addressLink, COPY_MARK, itemLink, markedToken, shorten } from "./links.ts";
import { assetDollars, dollarAmount } from "./money.ts";

/** Context in which sentences are rendered. */
export interface SentenceContext {
  readonly addresses: AddressInfos;
  readonly copies: ReadonlySet<KnownToken>;
  readonly coin: string;
  readonly rates: Rates;
  readonly names: Names;
}

export interface RenderedSentence {
  readonly headline: Html;
  /** Undefined if the headline says it all. */
  readonly detail: Html | undefined;
}

/** With links, and values in dollars beside amounts if asked for. */
export function renderSentence(
  actions: TransactionActions,
  context: SentenceContext,
  { viewer, withDollars = false }: { readonly viewer?: Bytes; readonly withDollars?: boolean } = {},
): RenderedSentence {
  const { headline, detail, also } = describeActions(actions, viewer);
  const render = (parts: readonly Part[]) => html`${parts.map((part) => renderPart(part, context, withDollars))}`;
  const what = also.length === 0 ? headline : [...headline, " ", ...also];
  return { headline: render(what), detail: detail.length === 0 ? undefined : render(detail) };
}

export function renderPart(part: Part, context: SentenceContext, withDollars: boolean): Html {
  if (typeof part === "string") return html`${part}`;
  if ("asset" in part) return renderAsset(part.asset, context, withDollars);
  if ("token" in part) return markedToken(part.token, context);
  if ("address" in part) return addressLink(part.address, context.addresses);
  if ("pool" in part) return poolLink(part.pool, context);
  return "method" in part ? methodName(part.method) : named(part.text, 200);
}

export const methodName = (method: Method): Html =>
  html`<code>${named(typeof method === "string" ? method : toHex(method), 60)}</code>`;

function renderAsset(asset: Asset, context: SentenceContext, withDollars: boolean): Html {
  const { token, amount: value, ids } = asset;
  if (token === null) {
    return html`${amount(value, { decimals: 18, symbol: context.coin })}${withDollars && dollarValue(asset, context)}`;
  }
  if (ids === undefined) {
    const size = amount(value, { decimals: token.seen?.decimals ?? null });
    return html`${size} ${markedToken(token, context)}${withDollars && dollarValue(asset, context)}`;
  }
  const [id] = ids;
  if (id !== undefined && ids.length === 1) {
    const quantity = value === 1n ? undefined : html`${count(value)} of `;
    return html`${quantity}${markedToken(token, context)} ${itemLink(token.address, uintFromBigInt(id))}`;
  }
  return html`${count(value)} of ${markedToken(token, context)}`;
}

function dollarValue(asset: Asset, { rates }: SentenceContext): Html | undefined {
  const dollars = assetDollars(asset, rates);
  return dollars === undefined ? undefined : html` <span class="quiet">(${dollarAmount(dollars)})</span>`;
}

function symbolOf({ address, seen }: KnownToken): Html {
  const symbol = seen?.symbol.text;
  return symbol ? html`<bdi>${safeText(symbol, 12)}</bdi>` : html`${shorten(checksumAddress(address), 6, 4)}`;
}

/** By its pair and fee, which the pages of both tokens lead to as well. */
function poolLink({ address, token0, token1, fee }: ActionPool, { copies }: SentenceContext): Html {
  const text = checksumAddress(address);
  const hasCopy = copies.has(token0) || copies.has(token1);
  return html`<a href="/pools/${text}" title="${text}">${symbolOf(token0)}/${symbolOf(token1)} ${fee / 10_000}%</a>${hasCopy && COPY_MARK}`;
}
