import { fullText } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { KnownHeight } from "../../query/indexedRange.ts";
import { confirmationsOf } from "../../query/indexedRange.ts";
import type { HistoricTransaction } from "../../query/transactions/addressHistory.ts";
import type { JsonWriter } from "../http/jsonWriter.ts";
import { fragment, recordKeys } from "../http/jsonWriter.ts";

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
  "input",
  "contractAddress",
  "functionName",
);
const [CLOSE] = Buffer.from("}");
const NOTHING = fragment('""');

const OUTCOMES = {
  unknown: fragment(',"isError":"0","txreceipt_status":""'),
  failure: fragment(',"isError":"1","txreceipt_status":"0"'),
  success: fragment(',"isError":"0","txreceipt_status":"1"'),
};

/** All values are strings. */
export function writeTransaction(
  { record, input, called }: HistoricTransaction,
  height: KnownHeight,
  json: JsonWriter,
): void {
  const { block, toAt, status } = record;
  const { number, hash, timestamp } = block;
  json.fragment(KEYS.blockNumber).decimal(number);
  json.fragment(KEYS.timeStamp).decimal(timestamp);
  json.fragment(KEYS.hash).hex(record.hashes, record.hashAt, record.hashAt + 32);
  json.fragment(KEYS.nonce).decimal(record.nonce);
  json.fragment(KEYS.blockHash).hex(hash);
  json.fragment(KEYS.transactionIndex).decimal(record.index);
  json.fragment(KEYS.gas).decimal(record.gas);
  json.fragment(KEYS.gasPrice).decimal(record.gasPrice);
  json.fragment(KEYS.gasUsed).decimal(record.gasUsed);
  json.fragment(KEYS.cumulativeGasUsed).decimal(record.cumulativeGasUsed);
  json.fragment(KEYS.confirmations).decimal(confirmationsOf(height, number));
  json.fragment(KEYS.methodId).hex(input, 0, input.length < 4 ? 0 : 4);
  writeAddress(record.addresses, record.fromAt, json.fragment(KEYS.from));
  writeAddress(record.addresses, toAt, json.fragment(KEYS.to));
  json.fragment(KEYS.value).decimal(record.value);
  json.fragment(status === undefined ? OUTCOMES.unknown : status === 1 ? OUTCOMES.success : OUTCOMES.failure);
  json.fragment(KEYS.input).hex(input);
  writeAddress(record.addresses, record.contractAt, json.fragment(KEYS.contractAddress));
  json
    .fragment(KEYS.functionName)
    .string(called === undefined ? "" : fullText(called))
    .byte(CLOSE!);
}

function writeAddress(addresses: Bytes, at: number | null, json: JsonWriter): void {
  if (at === null) json.fragment(NOTHING);
  else json.hex(addresses, at, at + 20);
}
