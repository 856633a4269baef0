import { formatAmount } from "../../../exchange/decimal.ts";
import type { Asset } from "../../../query/actions/action.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { coins } from "./format.ts";

const COIN_DECIMALS = 18;

/** At today's price; undefined without one. */
export function assetDollars({ token, amount, ids }: Asset, rates: Rates): number | undefined {
  if (ids !== undefined) return undefined;
  const decimals = token === null ? COIN_DECIMALS : (token.seen?.decimals ?? null);
  const price = token === null ? rates.coin : rates.of(token.address, decimals);
  return price === undefined ? undefined : worth(amount, decimals ?? 0, price);
}

export function worth(amount: bigint, decimals: number, price: string): number {
  return Number(formatAmount(amount, decimals)) * Number(price);
}

/** Coins with their value in dollars beside them, where the coin has a price. */
export function valuedCoins(wei: bigint, symbol: string, rates: Rates): Html {
  const dollars = assetDollars({ token: null, amount: wei }, rates);
  const value = dollars !== undefined && wei !== 0n && html` <span class="quiet">${dollarAmount(dollars)}</span>`;
  return html`${coins(wei, symbol, true)}${value}`;
}

/** Two decimal places; less than a cent says so. */
export function dollarText(dollars: number): string {
  const size = Math.abs(dollars);
  if (size > 0 && size < 0.01) return dollars < 0 ? ">−$0.01" : "<$0.01";
  const digits = size.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${dollars < 0 ? "−" : ""}$${digits}`;
}

/** From a million on with three digits; the rest is in the title. */
export function shortDollars(exact: number | string): Html {
  const dollars = Number(exact);
  const text = dollarText(dollars);
  if (Math.abs(dollars) < 1_000_000) return html`<data value="${exact}">${text}</data>`;
  const short = dollars.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 4 });
  return html`<data value="${exact}" title="${text}">$${short}</data>`;
}

/** Two decimal places from a dollar on, four significant digits below; all are in the title. */
export function priceAmount(usd: string): Html {
  return html`<data value="${usd}" title="$${usd}">${priceText(Number(usd))}</data>`;
}

export function priceText(dollars: number): string {
  if (dollars >= 1 || dollars === 0) return dollarText(dollars);
  if (dollars < SMALLEST_PRICE) return `$${dollars.toExponential(3)}`;
  const isOfCents = dollars >= 0.1;
  const short = Number(dollars.toPrecision(4));
  return `$${short.toLocaleString("en", { minimumFractionDigits: isOfCents ? 2 : 0, maximumFractionDigits: 20 })}`;
}

/** Smaller ones would be a row of zeros. */
const SMALLEST_PRICE = 1e-9;

/** Of a day. */
export function changeText(percent: number | undefined): Html | undefined {
  if (percent === undefined) return undefined;
  const kind = percent === 0 ? undefined : percent > 0 ? "status ok" : "status failed";
  const size = Math.abs(percent).toLocaleString("en", { maximumFractionDigits: 2 });
  return html`<span${kind && html` class="${kind}"`}>${percent > 0 ? "+" : percent < 0 ? "−" : ""}${size}%</span> in 24 h`;
}

export function dollarAmount(dollars: number): Html {
  return html`<data class="dollars" value="${dollars}" title="At today's price">${dollarText(dollars)}</data>`;
}
