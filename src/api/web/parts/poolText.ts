import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Fraction } from "../../../exchange/decimal.ts";
import { formatFraction, formatPrice, unitsOf } from "../../../exchange/decimal.ts";
import { SCALE } from "../../../exchange/prices.ts";
import type { PoolRecord, PoolToken } from "../../../query/pools/poolRecords.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, safeText } from "./format.ts";
import { shorten } from "./links.ts";
import { shortDollars } from "./money.ts";

export function symbolOf({ symbol, listed }: PoolToken): string {
  return symbol ? safeText(symbol, 20) : shorten(checksumAddress(listed.address));
}

export function pairName({ token0, token1 }: PoolRecord): Html {
  return html`<bdi>${symbolOf(token0)}</bdi> / <bdi>${symbolOf(token1)}</bdi>`;
}

/** `fee` in hundredths of a basis point. */
export function feeText(fee: number): string {
  return `${fee / 10_000}%`;
}

/** `value` in units of 1 / SCALE. */
export function dollars(value: bigint): Html {
  const exact = formatFraction(value, SCALE, 8);
  return value === 0n ? html`<data value="0">–</data>` : shortDollars(exact);
}

/** Price of a whole token from that of its smallest unit. */
export function dollarPrice(value: bigint, { decimals }: PoolToken): Html {
  return html`$${significant(formatPrice(value * unitsOf(decimals), SCALE))}`;
}

/** Significant digits, with the exact value for programs. */
export function significant(exact: string): Html {
  return html`<data value="${exact}">${Number(exact).toLocaleString("en", { maximumSignificantDigits: 6 })}</data>`;
}

export function percentText({ numerator, denominator }: Fraction): string {
  return `${Number(formatFraction(numerator * 100n, denominator, 2)).toLocaleString("en")}%`;
}

export function change(fraction: Fraction): Html {
  const kind = fraction.numerator === 0n ? "quiet" : fraction.numerator > 0n ? "status ok" : "status failed";
  return html`<span class="${kind}">${fraction.numerator > 0n && "+"}${percentText(fraction).replace("-", "−")}</span>`;
}

export function held(value: bigint, token: PoolToken): Html {
  const text = checksumAddress(token.listed.address);
  return html`${amount(value, { decimals: token.decimals })} <a href="/token/${text}"><bdi>${symbolOf(token)}</bdi></a>`;
}
