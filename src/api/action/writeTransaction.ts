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
export function writeTransaction({ mined, functionName }: HistoricTransaction, height: number, json: JsonWriter): void {
  const { block, input, to, status, contractAddress } = mined;
  const { number, hash, timestamp } = block.header;
  json.raw(KEYS.blockNumber).decimal(number);
  json.raw(KEYS.timeStamp).decimal(timestamp);
  json.raw(KEYS.hash).hex(mined.hash);
  json.raw(KEYS.nonce).decimalOf(mined.nonce);
  json.raw(KEYS.blockHash).hex(hash);
  json.raw(KEYS.transactionIndex).decimal(mined.index);
  json.raw(KEYS.gas).decimalOf(mined.gas);
  json.raw(KEYS.gasPrice);
  if (mined.gasPrice === undefined) json.decimal(0);
  else json.decimalOf(mined.gasPrice);
  json.raw(KEYS.gasUsed).decimal(mined.gasUsed);
  json.raw(KEYS.cumulativeGasUsed).decimal(mined.cumulativeGasUsed);
  json.raw(KEYS.confirmations).decimal(Math.max(height - number, 0));
  // The first four bytes of a call; nothing of a creation.
  json.raw(KEYS.methodId).hex(input, 0, to === null || input.length < 4 ? 0 : 4);
  json.raw(KEYS.from).hex(mined.from);
  writeHexOrNothing(to, json.raw(KEYS.to));
  json.raw(KEYS.value).decimalOf(mined.value);
  json.raw(KEYS.isError).decimal(status === 0 ? 1 : 0);
  json.raw(KEYS.txreceipt_status);
  if (status === undefined) json.raw(NOTHING);
  else json.decimal(status);
  json.raw(KEYS.input).hex(input);
  writeHexOrNothing(contractAddress, json.raw(KEYS.contractAddress));
  json
    .raw(KEYS.functionName)
    .string(functionName ?? "")
    .byte(CLOSE!);
}

function writeHexOrNothing(address: Uint8Array | null, json: JsonWriter): void {
  if (address === null) json.raw(NOTHING);
  else json.hex(address);
}
