import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { FoundLog } from "../../store/read/logRows.ts";
import type { JsonWriter } from "../http/jsonWriter.ts";
import { recordKeys } from "../http/jsonWriter.ts";

const KEYS = recordKeys(
  "address",
  "topics",
  "data",
  "blockNumber",
  "blockHash",
  "timeStamp",
  "gasPrice",
  "gasUsed",
  "logIndex",
  "transactionHash",
  "transactionIndex",
);
const [COMMA, BEGIN, END, CLOSE] = Buffer.from(",[]}");

/** The record of a log. */
export function writeLog(log: FoundLog, json: JsonWriter): void {
  json.fragment(KEYS.address).hex(log.address);
  writeTopics(log.topics, json.fragment(KEYS.topics));
  json.fragment(KEYS.data).hex(log.data);
  json.fragment(KEYS.blockNumber).quantity(log.blockNumber);
  json.fragment(KEYS.blockHash).hex(log.blockHash);
  json.fragment(KEYS.timeStamp).quantity(log.timestamp);
  json.fragment(KEYS.gasPrice);
  if (log.gasPrice === undefined) json.quantity(0);
  else json.quantityOf(log.gasPrice);
  json.fragment(KEYS.gasUsed).quantity(log.gasUsed);
  json.fragment(KEYS.logIndex).quantity(log.logIndex);
  json.fragment(KEYS.transactionHash).hex(log.transactionHash);
  json.fragment(KEYS.transactionIndex).quantity(log.transactionIndex).byte(CLOSE!);
}

/** As many as there are. */
function writeTopics(topics: Bytes, json: JsonWriter): void {
  json.byte(BEGIN!);
  for (let at = 0; at < topics.length; at += 32) {
    if (at > 0) json.byte(COMMA!);
    json.hex(topics, at, at + 32);
  }
  json.byte(END!);
}
