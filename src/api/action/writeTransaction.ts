import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { HistoricTransaction } from "../../query/transactions/addressHistory.ts";
import type { JsonWriter } from "../http/jsonWriter.ts";
import { recordKeys } from "../http/jsonWriter.ts";

const KEYS = recordKeys(
  "blockNumber",
  "timeStamp",
  "hash",
  "nonce",
  "blockHash",
  "transactionIndex",
  "gas",
  "gasPrice",
  "gasUsed",
  "cumulativeGasUsed",
  "confirmations",
  "methodId",
  "from",
  "to",
  "value",
  "isError",
  "txreceipt_status",
  "input",
  "contractAddress",
  "functionName",
);
const [CLOSE] = Buffer.from("}");
const NOTHING = Buffer.from('""');

/** The record of a transaction. Every value is a text. */
export function writeTransaction(
  { record, input, functionName }: HistoricTransaction,
  height: number,
  json: JsonWriter,
): void {
  const { block, toAt, status } = record;
  const { number, hash, timestamp } = block;
  json.raw(KEYS.blockNumber).decimal(number);
  json.raw(KEYS.timeStamp).decimal(timestamp);
  json.raw(KEYS.hash).hex(record.hashes, record.hashAt, record.hashAt + 32);
  json.raw(KEYS.nonce).decimal(record.nonce);
  json.raw(KEYS.blockHash).hex(hash);
  json.raw(KEYS.transactionIndex).decimal(record.index);
  json.raw(KEYS.gas).decimal(record.gas);
  json.raw(KEYS.gasPrice).decimal(record.gasPrice);
  json.raw(KEYS.gasUsed).decimal(record.gasUsed);
  json.raw(KEYS.cumulativeGasUsed).decimal(record.cumulativeGasUsed);
  json.raw(KEYS.confirmations).decimal(Math.max(height - number, 0));
  // The first four bytes of a call; nothing of a creation.
  json.raw(KEYS.methodId).hex(input, 0, toAt === null || input.length < 4 ? 0 : 4);
  writeAddress(record.addresses, record.fromAt, json.raw(KEYS.from));
  writeAddress(record.addresses, toAt, json.raw(KEYS.to));
  json.raw(KEYS.value).decimal(record.value);
  json.raw(KEYS.isError).decimal(status === 0 ? 1 : 0);
  json.raw(KEYS.txreceipt_status);
  if (status === undefined) json.raw(NOTHING);
  else json.decimal(status);
  json.raw(KEYS.input).hex(input);
  writeAddress(record.addresses, record.contractAt, json.raw(KEYS.contractAddress));
  json
    .raw(KEYS.functionName)
    .string(functionName ?? "")
    .byte(CLOSE!);
}

function writeAddress(addresses: Bytes, at: number | null, json: JsonWriter): void {
  if (at === null) json.raw(NOTHING);
  else json.hex(addresses, at, at + 20);
}
