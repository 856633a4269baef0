import { LruCache } from "../../../std/maps.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

/** Made by the first page: the data of ICU take 30 ms to load. */
let grouped: Intl.NumberFormat | undefined;

/** With thousands separators. Integers need no ICU, which takes most of the time of an amount. */
export function count(number: number | bigint): string {
  if (typeof number === "bigint" || Number.isSafeInteger(number)) {
    const text = number.toString();
    return number < 0 ? `-${groupDigits(text.slice(1))}` : groupDigits(text);
  }
  grouped ??= new Intl.NumberFormat("en", { maximumFractionDigits: 20 });
  return grouped.format(number);
}

function groupDigits(digits: string): string {
  if (digits.length <= 3) return digits;
  const first = digits.length % 3 || 3;
  let text = digits.slice(0, first);
  for (let at = first; at < digits.length; at += 3) text += `,${digits.slice(at, at + 3)}`;
  return text;
}

/** Human-readable, with the exact value for programs. */
export function figure(number: number | bigint): Html {
  return html`<data value="${number}">${count(number)}</data>`;
}

/** Exact amount in whole units. */
export function formatUnits(amount: bigint, decimals: number): string {
  const [sign, digits] = digitsOf(amount);
  return sign + placePoint(digits, decimals);
}

function digitsOf(amount: bigint): [sign: string, digits: string] {
  const text = amount.toString();
  return amount < 0n ? ["-", text.slice(1)] : ["", text];
}

function placePoint(digits: string, decimals: number): string {
  const all = digits.padStart(decimals + 1, "0");
  const point = all.length - decimals;
  const whole = groupDigits(all.slice(0, point));
  let end = all.length;
  while (end > point && all[end - 1] === "0") end--;
  return end === point ? whole : `${whole}.${all.slice(point, end)}`;
}

/** From this size on an amount has two decimal places. */
const LARGE_DIGITS = 4;

/** Rounded: two decimal places from 1,000 on, six significant digits from 1 on, four below. */
export function roundUnits(amount: bigint, decimals: number): string {
  const [sign, digits] = digitsOf(amount);
  return sign + placePoint(roundDigits(digits, decimals), decimals);
}

/** Half a unit and more is rounded up. */
function roundDigits(digits: string, decimals: number): string {
  const wholeDigits = digits.length - decimals;
  const shown = wholeDigits >= LARGE_DIGITS ? wholeDigits + 2 : wholeDigits > 0 ? 6 : 4;
  const dropped = digits.length - shown;
  if (dropped <= 0) return digits;
  const kept = digits.slice(0, shown);
  return (digits[shown]! < "5" ? kept : String(BigInt(kept) + 1n)) + "0".repeat(dropped);
}

interface AmountOptions {
  readonly decimals: number | null;
  readonly symbol?: string | undefined;
  readonly isExact?: boolean;
}

/** Human-readable, with smallest units for programs. Without decimals it shows those. */
export function amount(value: bigint, { decimals, symbol, isExact = false }: AmountOptions): Html {
  const places = clampDecimals(decimals);
  const [sign, digits] = digitsOf(value);
  const text = sign + placePoint(digits, places);
  const short = isExact ? text : sign + placePoint(roundDigits(digits, places), places);
  const unit = symbol === undefined ? undefined : html` <span class="unit"><bdi>${safeText(symbol, 20)}</bdi></span>`;
  const title = short === text ? undefined : html` title="${text}"`;
  return html`<data class="amount" value="${sign + digits}"${title}>${short}${unit}</data>`;
}

/** Contracts may claim any number. */
function clampDecimals(decimals: number | null): number {
  return decimals === null || decimals > 255 ? 0 : decimals;
}

const COIN_DECIMALS = 18;

/** Less than a millionth of a coin is shown in Gwei, and less than a thousandth of that in wei, exact or not. */
export function coins(wei: bigint, symbol: string, isExact = false): Html {
  const size = wei < 0n ? -wei : wei;
  if (size > 0n && size < DUST_OF_COIN) return gwei(wei, isExact);
  return amount(wei, { decimals: COIN_DECIMALS, symbol, isExact });
}

const DUST_OF_COIN = 10n ** 12n;
const DUST_OF_GWEI = 10n ** 6n;

export function gwei(wei: bigint, isExact = false): Html {
  const size = wei < 0n ? -wei : wei;
  if (size > 0n && size < DUST_OF_GWEI) return amount(wei, { decimals: 0, symbol: "wei" });
  return amount(wei, { decimals: 9, symbol: "Gwei", isExact });
}

/** Up to two decimal places; less than that says so. */
export function percent(part: bigint | number, whole: bigint | number): string {
  if (BigInt(whole) === 0n) return "0%";
  const hundredths = (BigInt(part) * 10_000n) / BigInt(whole);
  if (hundredths === 0n && BigInt(part) > 0n) return "<0.01%";
  return `${Number(hundredths) / 100}%`;
}

const LAST_SECOND_OF_9999 = 253_402_300_799;

/** Rows of a list share the times of their blocks. */
const times = new LruCache<number, Html>(256);

/** UTC; scripts add the relative time. */
export function time(seconds: number): Html {
  const known = times.get(seconds);
  if (known !== undefined) return known;
  const made = renderTime(seconds);
  times.set(seconds, made);
  return made;
}

function renderTime(seconds: number): Html {
  if (seconds > LAST_SECOND_OF_9999) return html`<span>${seconds} s after 1970</span>`;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

export function day(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}

/** Controls, bidi marks and zero-width characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu;

/** Makes untrusted text visible and safe to embed in a line. */
export function safeText(text: string, longest = 60): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(INVISIBLE, "\ufffd");
}

const INVISIBLE_IN_LINES = new RegExp(`(?![\\n\\t])${INVISIBLE.source}`, "gu");

/** Like `safeText`, keeping tabs and line ends. */
export function safeLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(INVISIBLE_IN_LINES, "\ufffd");
}

/** As markup with isolated text direction. */
export function named(text: string, longest?: number): Html {
  return html`<bdi>${safeText(text, longest)}</bdi>`;
}
