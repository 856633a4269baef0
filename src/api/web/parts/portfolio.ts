import type { Rates } from "../../../query/exchange/rates.ts";
import type { TokenBalance } from "../../../query/tokens/balances.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, named } from "./format.ts";
import type { Names } from "./links.ts";
import { COPY_MARK, tokenLink } from "./links.ts";
import { assetDollars, dollarAmount, dollarText, priceAmount, worth } from "./money.ts";
import { section } from "./table.ts";

/** Holdings with a value at today's prices. */
export interface Holding {
  /** Null is the coin. */
  readonly token: KnownToken | null;
  readonly amount: bigint;
  readonly price: string;
  readonly dollars: number;
}

export interface Portfolio {
  /** The most valuable first. */
  readonly holdings: readonly Holding[];
  readonly total: number;
  readonly tokens: number;
  /** Percent, as prices changed in a day; undefined if one of them is not known for then. */
  readonly change: number | undefined;
}

const COIN_DECIMALS = 18;

/** Undefined without prices. */
export function valuePortfolio(
  balance: bigint | undefined,
  balances: readonly TokenBalance[],
  rates: Rates,
): Portfolio | undefined {
  if (rates.coin === undefined) return undefined;
  const coin: Holding = {
    token: null,
    amount: balance ?? 0n,
    price: rates.coin,
    dollars: worth(balance ?? 0n, COIN_DECIMALS, rates.coin),
  };
  const tokens = balances.flatMap(({ token, tokenId, amount: value }): Holding[] => {
    const decimals = token.seen?.decimals ?? null;
    const price = rates.of(token.address, decimals);
    if (tokenId !== undefined || price === undefined || value <= 0n) return [];
    const dollars = assetDollars({ token, amount: value }, rates);
    return dollars === undefined ? [] : [{ token, amount: value, price, dollars }];
  });
  const holdings = [coin, ...tokens].filter(({ dollars }) => dollars > 0).sort((a, b) => b.dollars - a.dollars);
  const sum = (all: readonly Holding[]) => all.reduce((total, { dollars }) => total + dollars, 0);
  return { holdings, total: sum(holdings), tokens: sum(tokens), change: changeOf(holdings, rates) };
}

function changeOf(holdings: readonly Holding[], rates: Rates): number | undefined {
  let [now, before] = [0, 0];
  for (const { token, dollars } of holdings) {
    const percent = token === null ? rates.coinChange : rates.changeOf(token.address);
    if (percent === undefined) return undefined;
    now += dollars;
    before += dollars / (1 + percent / 100);
  }
  return before > 0 ? (now / before - 1) * 100 : undefined;
}

const SHOWN = 5;
const WIDTH = 1000;

export interface PortfolioOptions {
  readonly coin: string;
  readonly names: Names;
  readonly path: string;
  readonly copies: ReadonlySet<KnownToken>;
}

/** A bar of shares, and the most valuable holdings. */
export function portfolioPanel({ holdings, total }: Portfolio, options: PortfolioOptions): Html | undefined {
  if (holdings.length < 2) return undefined;
  const shown = holdings.slice(0, holdings.length > SHOWN + 1 ? SHOWN : SHOWN + 1);
  const rest = holdings.slice(shown.length);
  const others = rest.reduce((sum, { dollars }) => sum + dollars, 0);
  const more =
    rest.length > 0 &&
    html`<li><span class="icon rest" aria-hidden="true">…</span><div class="what"><p class="headline"><a href="${options.path}?tab=tokens">${rest.length} more</a></p></div><div class="worth"><p>${dollarAmount(others)}</p><p class="under">${shareText(others, total)}</p></div></li>`;
  const rows = shown.map((holding, at) => renderHolding(holding, at, total, options));
  return section(
    "Portfolio",
    html`${shareBar([...shown.map(({ dollars }) => dollars), others], total)}<ol class="rows">${rows}${more}</ol>`,
    html`<span class="quiet">at today's prices</span>`,
  );
}

function renderHolding(
  { token, amount: value, price, dollars }: Holding,
  at: number,
  total: number,
  { coin, names, copies }: PortfolioOptions,
): Html {
  const name = token === null ? html`<b>${coin}</b>` : tokenName(token, names, copies);
  const size = amount(value, { decimals: token === null ? COIN_DECIMALS : (token.seen?.decimals ?? null) });
  return html`<li><span class="icon k${at}" aria-hidden="true">${initialOf(token === null ? coin : (token.seen?.symbol.text ?? ""))}</span><div class="what"><p class="headline">${name}</p><p class="under">${size} at ${priceAmount(price)}</p></div>
<div class="worth"><p>${dollarAmount(dollars)}</p><p class="under">${shareText(dollars, total)}</p></div></li>`;
}

const tokenName = (token: KnownToken, names: Names, copies: ReadonlySet<KnownToken>): Html =>
  html`${tokenLink(token, names)} <span class="quiet">${named(token.seen?.name.text ?? "", 30)}</span>${copies.has(token) && COPY_MARK}`;

/** A letter or a digit; what else a contract calls itself has no mark. */
export function initialOf(text: string): string {
  return /^[a-z0-9]/i.test(text) ? text.charAt(0).toUpperCase() : "◆";
}

function shareText(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  return percent > 0 && percent < 0.1 ? "<0.1%" : `${percent.toLocaleString("en", { maximumFractionDigits: 1 })}%`;
}

function shareBar(parts: readonly number[], total: number): Html {
  let x = 0;
  const bars = parts.map((part, at) => {
    const width = (part / total) * WIDTH;
    const bar = html`<rect class="${at === parts.length - 1 ? "rest" : `k${at}`}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="8"/>`;
    x += width;
    return bar;
  });
  const text = `Shares, the largest ${dollarText(parts[0] ?? 0)}`;
  return html`<svg class="shares" viewBox="0 0 ${WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${text}">${bars}</svg>`;
}
