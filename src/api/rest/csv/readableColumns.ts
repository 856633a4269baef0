import { formatAmount } from "../../../exchange/decimal.ts";
import type { JsonSchema } from "../../openapi/document.ts";
import type { CsvColumn } from "./csvColumns.ts";
import type { Item } from "./fieldReaders.ts";
import { address, errorOf, field, nested } from "./fieldReaders.ts";

type Read = (item: Item) => unknown;

const COIN_DECIMALS = 18;
const GWEI_DECIMALS = 9;

const nameOf = (name: string): Read => nested(name, "name");

/** A time that spreadsheets read as one. */
const date =
  (name = "timestamp"): Read =>
  (item) =>
    String(item[name] ?? "")
      .slice(0, 19)
      .replace("T", " ");

const amount =
  (name: string, decimals = COIN_DECIMALS): Read =>
  (item) =>
    whole(item[name], decimals);

/** Exact; a token without decimals counts smallest units. */
function whole(value: unknown, decimals: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  return formatAmount(BigInt(String(value)), Number(decimals ?? 0));
}

const ofToken = {
  Token: nameOf("token"),
  Symbol: nested("token", "symbol"),
  "Token address": nested("token", "address"),
};

const tokenAmount: Read = (item) => whole(item.value, nested("token", "decimals")(item));

/** An item that is the only one of its id has no amount. */
const transferred: Read = (item) => whole(nested("total", "value")(item), nested("total", "decimals")(item)) ?? "1";

const PARTIES = { From: address("from"), "From name": nameOf("from"), To: address("to"), "To name": nameOf("to") };
const CREATED = { "Contract created": address("created_contract") };

/** By the name of the record. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  Transaction: {
    Transaction: field("hash"),
    Block: field("block_number"),
    "Time (UTC)": date(),
    Method: field("method"),
    ...PARTIES,
    ...CREATED,
    Value: amount("value"),
    Fee: (item) => whole(nested("fee", "value")(item), COIN_DECIMALS),
    "Gas price (Gwei)": amount("gas_price", GWEI_DECIMALS),
    "Gas used": field("gas_used"),
    Nonce: field("nonce"),
    Status: field("status"),
    Error: errorOf,
  },
  "Token transfer": {
    Transaction: field("transaction_hash"),
    Block: field("block_number"),
    "Time (UTC)": date(),
    Method: field("method"),
    ...PARTIES,
    ...ofToken,
    Standard: field("token_type"),
    Amount: transferred,
    "Token id": nested("total", "token_id"),
  },
  "Internal transaction": {
    Transaction: field("transaction_hash"),
    Block: field("block_number"),
    "Time (UTC)": date(),
    Type: field("type"),
    ...PARTIES,
    ...CREATED,
    Value: amount("value"),
    "Gas used": field("gas_used"),
    Error: field("error"),
  },
  Block: {
    Block: field("height"),
    "Time (UTC)": date(),
    Transactions: field("transactions_count"),
    Miner: address("miner"),
    "Gas used": field("gas_used"),
    "Gas limit": field("gas_limit"),
    "Base fee (Gwei)": amount("base_fee_per_gas", GWEI_DECIMALS),
    "Burnt fees": amount("burnt_fees"),
    "Size (bytes)": field("size"),
    Hash: field("hash"),
  },
  Token: {
    Token: field("name"),
    Symbol: field("symbol"),
    "Token address": field("address"),
    Standard: field("type"),
    Holders: field("holders_count"),
    Supply: ({ total_supply: supply, decimals }) => whole(supply, decimals),
    "Price (USD)": field("exchange_rate"),
  },
  Holder: {
    Holder: address("address"),
    Name: nameOf("address"),
    "Token id": field("token_id"),
    "Amount (smallest units)": field("value"),
  },
  "Token balance": { ...ofToken, Amount: tokenAmount, "Token id": field("token_id") },
  "Ranked account": {
    Account: field("hash"),
    Name: field("name"),
    Balance: amount("coin_balance"),
    "Share (%)": field("percentage"),
    Transactions: field("transactions_count"),
  },
  "Coin balance": {
    Block: field("block_number"),
    "Time (UTC)": date("block_timestamp"),
    Balance: amount("value"),
    Change: ({ delta }) => signed(String(delta)),
  },
  Withdrawal: {
    Index: field("index"),
    Validator: field("validator_index"),
    Block: field("block_number"),
    "Time (UTC)": date(),
    Receiver: address("receiver"),
    Amount: amount("amount"),
  },
};

const signed = (delta: string): string =>
  delta.startsWith("-") ? `-${formatAmount(BigInt(delta.slice(1)), COIN_DECIMALS)}` : `${whole(delta, COIN_DECIMALS)}`;

/** Few columns with amounts in whole units; undefined for records that have only their fields. */
export function readableColumns({ title = "" }: JsonSchema): CsvColumn[] | undefined {
  const columns = COLUMNS[title];
  return columns && Object.entries(columns).map(([name, read]) => ({ name, read }));
}
