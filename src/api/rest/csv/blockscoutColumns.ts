import type { CsvColumn } from "./csvColumns.ts";
import type { Item } from "./fieldReaders.ts";
import { address, errorOf, field, nested } from "./fieldReaders.ts";

type Read = (item: Item, owner: string) => unknown;

const topic =
  (at: number): Read =>
  ({ topics }) =>
    (topics as readonly unknown[])[at];
/** Empty columns preserve the positions that clients rely on. */
const nothing: Read = () => "";

/** Blockscout's time format. */
const time =
  (name: string): Read =>
  (item) =>
    String(item[name] ?? "").replace("T", " ");

const direction: Read = ({ from }, owner) =>
  String((from as Item).hash).toLowerCase() === owner.toLowerCase() ? "OUT" : "IN";

const TRANSACTIONS: Readonly<Record<string, Read>> = {
  TxHash: field("hash"),
  BlockNumber: field("block_number"),
  UnixTimestamp: time("timestamp"),
  FromAddress: address("from"),
  ToAddress: address("to"),
  ContractAddress: address("created_contract"),
  Type: direction,
  Value: field("value"),
  Fee: nested("fee", "value"),
  Status: field("status"),
  ErrCode: errorOf,
  CurrentPrice: field("exchange_rate"),
  TxDateOpeningPrice: nothing,
  TxDateClosingPrice: nothing,
};

const TRANSFERS: Readonly<Record<string, Read>> = {
  TxHash: field("transaction_hash"),
  BlockNumber: field("block_number"),
  UnixTimestamp: time("timestamp"),
  FromAddress: address("from"),
  ToAddress: address("to"),
  TokenContractAddress: nested("token", "address"),
  Type: direction,
  TokenDecimals: nested("token", "decimals"),
  TokenSymbol: nested("token", "symbol"),
  TokensTransferred: nested("total", "value"),
  TransactionFee: nothing,
  // Failed transactions transfer nothing.
  Status: () => "ok",
  ErrCode: nothing,
};

const INTERNAL: Readonly<Record<string, Read>> = {
  TxHash: field("transaction_hash"),
  Index: field("index"),
  BlockNumber: field("block_number"),
  BlockHash: nothing,
  TxIndex: field("transaction_index"),
  BlockIndex: nothing,
  UnixTimestamp: time("timestamp"),
  FromAddress: address("from"),
  ToAddress: address("to"),
  ContractAddress: address("created_contract"),
  Type: ({ type }) => (type === "callcode" ? "call" : type),
  CallType: ({ type }) => (type === "call" || type === "callcode" ? type : ""),
  Gas: field("gas_limit"),
  GasUsed: field("gas_used"),
  Value: field("value"),
  Input: nothing,
  Output: nothing,
  ErrCode: field("error"),
};

const LOGS: Readonly<Record<string, Read>> = {
  TxHash: field("transaction_hash"),
  Index: field("index"),
  BlockNumber: field("block_number"),
  BlockHash: field("block_hash"),
  ContractAddress: address("address"),
  Data: field("data"),
  FirstTopic: topic(0),
  SecondTopic: topic(1),
  ThirdTopic: topic(2),
  FourthTopic: topic(3),
};

/** By list path. */
const FILES: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  "/addresses/{address}/transactions": TRANSACTIONS,
  "/addresses/{address}/token-transfers": TRANSFERS,
  "/addresses/{address}/internal-transactions": INTERNAL,
  "/addresses/{address}/logs": LOGS,
};

/** Undefined if Blockscout has no such file. */
export function blockscoutColumns(path: string, owner: string): CsvColumn[] | undefined {
  const columns = FILES[path];
  return columns && Object.entries(columns).map(([name, read]) => ({ name, read: (item) => read(item, owner) }));
}
