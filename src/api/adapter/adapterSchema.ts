import { Type } from "../openapi/type.ts";
import { address, arrayOf, as, count, fields, hash, number, price, record, text, words } from "../openapi/values.ts";

const pairId = (description: string) =>
  Type.String({ description, pattern: "^0x([0-9a-fA-F]{40}|[0-9a-f]{64}|[0-9a-f]{104})$" });
const optionalPrice = (description: string) => Type.Optional(price(description));

export const AdapterBlockSchema = record("Adapter block", {
  blockNumber: count("the number of the block"),
  blockTimestamp: count("its time, in seconds since 1970"),
});

export const AdapterAssetSchema = record("Adapter asset", {
  id: address("the address of the token; zero for the native coin"),
  name: text("its name; `UNKNOWN` where it does not say"),
  symbol: text("its symbol; `UNKNOWN` where it does not say"),
  decimals: Type.Optional(count("its decimals; only for GeckoTerminal")),
  totalSupply: optionalPrice("its supply, in whole tokens; left out where it is not known"),
});

export const AdapterPairSchema = record("Adapter pair", {
  id: pairId("the address of the pool, or the id of one without"),
  dexKey: address("its factory, or its manager"),
  asset0Id: address("token0"),
  asset1Id: address("token1"),
  createdAtBlockNumber: count("the block that created it"),
  createdAtBlockTimestamp: count("the time of that block, in seconds since 1970"),
  createdAtTxnId: hash("the transaction that created it"),
  feeBps: Type.Optional(
    number("what it takes of a trade, in basis points; left out where that changes or is not known"),
  ),
});

const PLACE = {
  block: as(AdapterBlockSchema, "its [block](#adapter-block)"),
  txnId: hash("the transaction"),
  txnIndex: count("its index in the block"),
  eventIndex: count("the index of the log in the block"),
  maker: address("who sent the transaction"),
  pairId: pairId("the pool"),
};

const reserves = Type.Optional(
  fields("what the pool holds after it, in whole tokens; left out where events do not tell that exactly", {
    asset0: price("of token0"),
    asset1: price("of token1"),
  }),
);

export const AdapterSwapSchema = record("Adapter swap", {
  ...PLACE,
  eventType: words(["swap"], "`swap`"),
  asset0In: optionalPrice("what came of token0, in whole tokens"),
  asset1In: optionalPrice("what came of token1"),
  asset0Out: optionalPrice("what went of token0"),
  asset1Out: optionalPrice("what went of token1"),
  priceNative: price("what was paid in token1 for one token0, both in whole tokens"),
  reserves,
});

export const AdapterChangeSchema = record("Adapter join or exit", {
  ...PLACE,
  eventType: words(["join", "exit"], "whether liquidity came or went"),
  amount0: price("what came or went of token0, in whole tokens"),
  amount1: price("what came or went of token1"),
  reserves,
});

export const LatestBlockSchema = fields("a block", { block: as(AdapterBlockSchema, "the block") });
export const AssetSchema = fields("a token", { asset: as(AdapterAssetSchema, "the token") });
export const PairSchema = fields("a pool", { pair: as(AdapterPairSchema, "the pool") });
export const EventsSchema = fields("events", {
  events: arrayOf(Type.Union([AdapterSwapSchema, AdapterChangeSchema]), "the events, in the order of the chain"),
});
export const FailureSchema = fields("an error", { error: text("what is wrong") });
