import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

/** Made by the first page: the data of ICU take 30 ms to load. */
let grouped: Intl.NumberFormat | undefined;

const THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** With thousands separators. Integers need no ICU, which takes most of the time of an amount. */
export function count(number: number | bigint): string {
  if (typeof number === "bigint" || Number.isSafeInteger(number)) return number.toString().replace(THOUSANDS, ",");
  grouped ??= new Intl.NumberFormat("en", { maximumFractionDigits: 20 });
  return grouped.format(number);
}

/** Human-readable, with the exact value for programs. */
export function figure(number: number | bigint): Html {
  return html`<data value="${number}">${count(number)}</data>`;
}

/** Exact amount in whole units. */
export function formatUnits(amount: bigint, decimals: number): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, "0");
  const whole = count(BigInt(digits.slice(0, digits.length - decimals)));
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** From this size on an amount has two decimal places. */
const LARGE_DIGITS = 4;

/** Rounded: two decimal places from 1,000 on, six significant digits from 1 on, four below. */
export function roundUnits(amount: bigint, decimals: number): string {
  const size = amount < 0n ? -amount : amount;
  const digits = size.toString();
  const wholeDigits = digits.length - decimals;
  const shown = wholeDigits >= LARGE_DIGITS ? wholeDigits + 2 : wholeDigits > 0 ? 6 : 4;
  const dropped = digits.length - shown;
  if (dropped <= 0) return formatUnits(amount, decimals);
  const unit = 10n ** BigInt(dropped);
  const rounded = ((size + unit / 2n) / unit) * unit;
  return formatUnits(amount < 0n ? -rounded : rounded, decimals);
}

interface AmountOptions {
  readonly decimals: number | null;
  readonly symbol?: string | undefined;
  readonly isExact?: boolean;
}

/** Human-readable, with smallest units for programs. Without decimals it shows those. */
export function amount(value: bigint, { decimals, symbol, isExact = false }: AmountOptions): Html {
  const places = clampDecimals(decimals);
  const text = formatUnits(value, places);
  const short = isExact ? text : roundUnits(value, places);
  const unit = symbol === undefined ? undefined : html` <span class="unit"><bdi>${safeText(symbol, 20)}</bdi></span>`;
  const title = short === text ? undefined : html` title="${text}"`;
  return html`<data class="amount" value="${value}"${title}>${short}${unit}</data>`;
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

/** UTC; scripts add the relative time. */
export function time(seconds: number): Html {
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
