import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { BlockNumberId } from "../params/blockParams.ts";
import { readBlockNumber } from "../params/blockParams.ts";
import { dataFault } from "../params/hexText.ts";
import { cannotUnmarshal, invalidArgument, objectParam, readHash } from "../params/params.ts";
import type { LogCriteria } from "./logFilter.ts";

export interface LogQuery extends LogCriteria {
  readonly blockHash?: Bytes;
  readonly from?: BlockNumberId;
  readonly to?: BlockNumberId;
}

const MAX_TOPICS = 4;
const MAX_VALUES = 1000;

/** Parses the filter object with geth's checks and messages. */
export function logQueryParam(params: readonly unknown[]): LogQuery {
  const { blockHash, fromBlock, toBlock, address, topics } = objectParam(params, 0, "filters.input");
  const criteria = { addresses: readAddresses(address), topics: readTopics(topics) };
  const [hasHash, hasFrom, hasTo] = [isGiven(blockHash), isGiven(fromBlock), isGiven(toBlock)];
  if (hasHash && (hasFrom || hasTo)) {
    throw refuse("cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other");
  }
  if (hasHash) return { ...criteria, blockHash: readHash(blockHash, { argument: 0, field: "input.blockHash" }) };
  return {
    ...criteria,
    ...(hasFrom && { from: readBlockNumber(fromBlock, 0) }),
    ...(hasTo && { to: readBlockNumber(toBlock, 0) }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readAddresses(value: unknown): Bytes[] {
  if (!isGiven(value)) return [];
  if (typeof value === "string") return [readValue(value, 20, "address", "invalid address")];
  if (!Array.isArray(value)) throw refuse("invalid addresses in query");
  expectFew(value);
  return value.map((one: unknown, index) => {
    if (typeof one !== "string") throw refuse(`non-string address at index ${index}`);
    return readValue(one, 20, "address", `invalid address at index ${index}`);
  });
}

function readTopics(value: unknown): Bytes[][] {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value))
    throw cannotUnmarshal({ argument: 0, field: "input.topics" }, typeof value, "[]interface {}");
  if (value.length > MAX_TOPICS) throw refuse("exceed max topics");
  return value.map(readPosition);
}

/** A null alternative matches anything. */
function readPosition(value: unknown): Bytes[] {
  if (!isGiven(value)) return [];
  if (typeof value === "string") return [readValue(value, 32, "topic")];
  if (!Array.isArray(value)) throw refuse("invalid topic(s)");
  expectFew(value);
  if (value.includes(null)) return [];
  return value.map((one: unknown) => {
    if (typeof one !== "string") throw refuse("invalid topic(s)");
    return readValue(one, 32, "topic");
  });
}

function expectFew(values: readonly unknown[]): void {
  if (values.length > MAX_VALUES) throw refuse("exceed max addresses or topics per search position");
}

function readValue(text: string, size: number, kind: string, prefix?: string): Bytes {
  const fault = text === "" ? "empty hex string" : dataFault(text);
  const bytes = Buffer.from(text.slice(2), "hex");
  const reason =
    fault ??
    (bytes.length === size
      ? undefined
      : `hex has invalid length ${bytes.length} after decoding; expected ${size} for ${kind}`);
  if (reason !== undefined) throw refuse(prefix === undefined ? reason : `${prefix}: ${reason}`);
  return bytes;
}

function refuse(reason: string): Error {
  return invalidArgument(0, reason);
}
