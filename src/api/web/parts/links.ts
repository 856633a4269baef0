import { wellKnownAddress } from "../../../chain/contract/wellKnownAddresses.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { AddressInfo, AddressLabel } from "../../../store/read/addressInfo.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { count, safeText } from "./format.ts";

/** Prefix and suffix of a long hex string. */
export function shorten(hex: string, before = 8, after = 6): string {
  return hex.length <= before + after + 3 ? hex : `${hex.slice(0, before)}…${hex.slice(-after)}`;
}

const NO_INFO: AddressInfo = { isContract: null, runsCode: null, name: null, isToken: false, isVerified: false };

/** Address infos are immutable and shared by many rows. */
const rendered = new WeakMap<AddressInfo, Html>();

/** Name if known, else a shortened address. `names` are for addresses without an info. */
export function addressLink(address: Bytes, infos: AddressInfos, names?: Names): Html {
  const info = infos.get(address);
  if (info === undefined) {
    const label = names?.of(address);
    return renderAddress(address, label && { ...NO_INFO, label });
  }
  const known = rendered.get(info);
  if (known !== undefined) return known;
  const made = renderAddress(address, info);
  rendered.set(info, made);
  return made;
}

function renderAddress(address: Bytes, info: AddressInfo | undefined): Html {
  const text = checksumAddress(address);
  const mark = info?.isContract === true ? CONTRACT_MARK : isDelegated(info) && DELEGATED_MARK;
  const { name, hasCopy } = addressName(address, info);
  const label = name ? html`<bdi>${safeText(name, 32)}</bdi>` : html`<code>${shorten(text)}</code>`;
  return html`<a class="address" href="/address/${text}" title="${text}">${mark}${label}</a>${hasCopy && COPY_MARK}`;
}

/** The operator's or a derived name, else what the token or the source calls it. */
export function addressName(address: Bytes, info: AddressInfo | undefined): { name: string | null; hasCopy: boolean } {
  const { text, hasCopy = false } = info?.label ?? { text: wellKnownAddress(address)?.name };
  return { name: text ?? info?.tokenName ?? info?.name ?? null, hasCopy };
}

/** An account whose calls run the code of another (EIP-7702). */
export const isDelegated = (info: AddressInfo | undefined): boolean =>
  info?.isContract === false && info.runsCode === true;

const CONTRACT_MARK = html`<svg class="mark" viewBox="0 0 16 16" width="13" height="13" role="img" aria-label="Contract"><path d="M3 1h7l3 3v11H3zM5.500 8h5M5.500 11h5" fill="none" stroke="currentColor" stroke-width="1.400"/></svg>`;

const DELEGATED_MARK = html`<svg class="mark" viewBox="0 0 16 16" width="13" height="13" role="img" aria-label="Delegated account"><path d="M2 5h9v7M8 9l3 3 3-3" fill="none" stroke="currentColor" stroke-width="1.400"/></svg>`;

export function fullAddress(address: Bytes, infos?: AddressInfos): Html {
  const text = checksumAddress(address);
  const { name, hasCopy } = addressName(address, infos?.get(address));
  const label = name && html`<a href="/address/${text}"><bdi>${safeText(name)}</bdi></a>${hasCopy && COPY_MARK} `;
  return html`${label}<span class="whole"><a href="/address/${text}"><code>${text}</code></a>${copyButton(text)}</span>`;
}

export function transactionLink(hash: Bytes): Html {
  const text = toHex(hash);
  return html`<a href="/tx/${text}" title="${text}"><code>${shorten(text)}</code></a>`;
}

/** Short, for rows whose headline says more. */
export function hashLink(hash: Bytes): Html {
  const text = toHex(hash);
  return html`<a class="hash" href="/tx/${text}" title="${text}"><code>${shorten(text, 6, 4)}</code></a>`;
}

export function blockLink(number: number): Html {
  return html`<a href="/block/${number}">${count(number)}</a>`;
}

export function wholeHash(bytes: Bytes): Html {
  const text = toHex(bytes);
  return html`<span class="whole"><code>${text}</code>${copyButton(text)}</span>`;
}

const COPY_ICON = html`<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="M5 5h9v9H5zM2 11V2h9" fill="none" stroke="currentColor" stroke-width="1.500"/></svg>`;

/** Hidden without scripts. */
export function copyButton(text: string): Html {
  return html`<button type="button" class="copy script" data-copy="${text}" aria-label="Copy">${COPY_ICON}</button>`;
}

/** Copies the text of an element, to avoid embedding a long text twice. */
export function copyFrom(id: string): Html {
  return html`<button type="button" class="copy script" data-copy-from="${id}" aria-label="Copy">${COPY_ICON}</button>`;
}

/** Marks a token whose symbol belongs to one with more holders. */
export const COPY_MARK = html` <span class="tag warning" title="A token with more holders has the same symbol">same symbol</span>`;

/** Names of addresses that are not in the index. */
export interface Names {
  of(address: Bytes): AddressLabel | undefined;
}

/** Symbol, or address without one; the pair if it is a share of a pool. */
export function tokenLink({ address, seen }: KnownToken, names?: Names): Html {
  const text = checksumAddress(address);
  const label = names?.of(address);
  if (label?.kind === "pool")
    return html`<a class="token" href="/token/${text}" title="${text}"><bdi>${safeText(label.text, 32)}</bdi> LP</a>`;
  const symbol = seen?.symbol.text;
  const shown: Content = symbol ? html`<bdi>${safeText(symbol, 20)}</bdi>` : html`<code>${shorten(text)}</code>`;
  return html`<a class="token" href="/token/${text}" title="${text}">${shown}</a>`;
}

export interface TokenNames {
  readonly names: Names;
  /** Tokens whose symbol belongs to one with more holders. */
  readonly copies: ReadonlySet<KnownToken>;
}

export const markedToken = (token: KnownToken, { names, copies }: TokenNames): Html =>
  html`${tokenLink(token, names)}${copies.has(token) && COPY_MARK}`;

/** Ids have up to 78 digits. */
export function itemLink(token: Bytes, tokenId: Bytes): Html {
  const id = uintToBigInt(tokenId).toString();
  return html`<a class="item" href="/token/${checksumAddress(token)}/instance/${id}" title="${id}">#${shorten(id, 8, 4)}</a>`;
}

/** The file of a list of the REST API. */
export function csvPathOf(list: string): string {
  const { pathname, searchParams } = new URL(list, "http://localhost");
  searchParams.set("columns", "readable");
  return `${pathname}/csv?${searchParams}`;
}
