import type { FoundLog } from "../../store/read/foundLog.ts";
import type { ByteRange } from "../../store/rows/byteRange.ts";
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

export function writeLog({ context, logIndex, address, topics, data }: FoundLog, json: JsonWriter): void {
  const { block } = context;
  json.fragment(KEYS.address).hex(address.bytes, address.start, address.end);
  writeTopics(topics, json.fragment(KEYS.topics));
  json.fragment(KEYS.data).hex(data.bytes, data.start, data.end);
  json.fragment(KEYS.blockNumber).quantity(block.number);
  json.fragment(KEYS.blockHash).hex(block.hash);
  json.fragment(KEYS.timeStamp).quantity(block.timestamp);
  json.fragment(KEYS.gasPrice).quantity(context.gasPrice);
  json.fragment(KEYS.gasUsed).quantity(context.gasUsed);
  json.fragment(KEYS.logIndex).quantity(logIndex);
  json.fragment(KEYS.transactionHash).hex(context.hashes, context.hashAt, context.hashAt + 32);
  json.fragment(KEYS.transactionIndex).quantity(context.transactionIndex).byte(CLOSE!);
}

/** Without padding to four. */
function writeTopics({ bytes, start, end }: ByteRange, json: JsonWriter): void {
  json.byte(BEGIN!);
  for (let at = start; at < end; at += 32) {
    if (at > start) json.byte(COMMA!);
    json.hex(bytes, at, at + 32);
  }
  json.byte(END!);
}
