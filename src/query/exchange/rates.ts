import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { formatFraction, formatPrice, MAX_PRICED_DECIMALS, unitsOf } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { Exchange } from "./exchange.ts";
import type { ExchangeView } from "./exchangeView.ts";

const LOCKED_PLACES = 8;

export interface Rates {
  of(token: Bytes, decimals: number | null): string | undefined;
  /** Percent change of a token's price in a day. */
  changeOf(token: Bytes): number | undefined;
  readonly coin: string | undefined;
  ofWei(wei: bigint): string | undefined;
  /** Anchors held by all pools; undefined without prices. */
  readonly locked: string | undefined;
  /** Percent change of the coin's price in a day. */
  readonly coinChange: number | undefined;
  readonly timestamp: number;
}

export const NO_RATES: Rates = {
  of: () => undefined,
  changeOf: () => undefined,
  coin: undefined,
  ofWei: () => undefined,
  locked: undefined,
  coinChange: undefined,
  timestamp: 0,
};

interface PricedExchange {
  readonly exchange: Exchange;
}

/** Whether a token of the network counts as a dollar. */
export const hasPrices = ({ exchange }: PricedExchange): boolean => exchange.settings.stables.length > 0;

/** Empty if exchanges are off or behind. */
export async function readRates({ exchange }: PricedExchange): Promise<Rates> {
  if (!hasPrices({ exchange })) return NO_RATES;
  try {
    return await exchange.read(async (_, view) => ratesOf(view, exchange.settings.wrappedCoin));
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return NO_RATES;
    throw error;
  }
}

/** Value per smallest unit by token, for comparing amounts. */
export type UnitPrices = ReadonlyMap<Hex, bigint>;

export async function readUnitPrices({ exchange }: PricedExchange): Promise<UnitPrices> {
  if (!hasPrices({ exchange })) return new Map();
  try {
    return await exchange.read(async (_, { listing, valued }) => {
      const prices = new Map<Hex, bigint>();
      for (const [number, { value }] of valued.dollars.prices) {
        const token = listing.tokensByNumber.get(number);
        if (token !== undefined && value > 0n) prices.set(token.hex, value);
      }
      return prices;
    });
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return new Map();
    throw error;
  }
}

/** The native coin always has 18 decimals. */
const COIN_DECIMALS = 18;

function ratesOf({ listing, valued, range }: ExchangeView, wrappedCoin: `0x${string}` | undefined): Rates {
  const { dollars, before } = valued;
  const numberOf = (hex: `0x${string}`) => listing.tokensByHex.get(hex)?.pricedAs ?? 0;
  const coin = wrappedCoin === undefined ? 0 : numberOf(wrappedCoin);
  const now = dollars.prices.get(coin)?.value;
  const changeIn = (token: number) =>
    percentChange(dollars.prices.get(token)?.value, before.dollars.prices.get(token)?.value);
  return {
    of: (token, decimals) => priceOf(dollars.prices.get(numberOf(toHex(token)))?.value, decimals ?? 0),
    changeOf: (token) => changeIn(numberOf(toHex(token))),
    coin: priceOf(now, COIN_DECIMALS),
    ofWei: (wei) => (now === undefined ? undefined : formatPrice(now * wei, SCALE)),
    locked: dollars.prices.size === 0 ? undefined : formatFraction(valued.anchored, SCALE, LOCKED_PLACES),
    coinChange: changeIn(coin),
    timestamp: range?.tip.timestamp ?? 0,
  };
}

function percentChange(now: bigint | undefined, then: bigint | undefined): number | undefined {
  return now === undefined || !then ? undefined : Number(((now - then) * 10_000n) / then) / 100;
}

function priceOf(value: bigint | undefined, decimals: number): string | undefined {
  if (value === undefined || decimals > MAX_PRICED_DECIMALS) return undefined;
  return formatPrice(value * unitsOf(decimals), SCALE);
}

interface CoinPrice {
  readonly usd: string;
  readonly timestamp: number;
}

/** Undefined if no priced pool trades the coin. */
export async function readCoinPrice(context: PricedExchange): Promise<CoinPrice | undefined> {
  const { coin, timestamp } = await readRates(context);
  return coin === undefined ? undefined : { usd: coin, timestamp };
}
