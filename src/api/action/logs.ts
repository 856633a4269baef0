import type { Bytes } from "../../chain/encoding/bytes.ts";
import { resolveBlock } from "../../query/blocks/namedBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import type { BlockBound } from "../../query/logs/findLogs.ts";
import { findLogs } from "../../query/logs/findLogs.ts";
import type { TopicNumber, TopicPair } from "../../query/logs/topicFilter.ts";
import { TOPIC_NUMBERS, TOPIC_PAIRS, TopicFilter } from "../../query/logs/topicFilter.ts";
import { WrittenList } from "../http/stringify.ts";
import type { ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, indexedList } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { optionalAddress, parseBlockName, parseHash, parsePage } from "./parse.ts";
import { writeLog } from "./writeLog.ts";

/** Specification, sections 4.2 and 8. */
export const MAX_LOGS = 1000;

const DEFAULT_BOUNDS = { fromBlock: "earliest", toBlock: "latest" } as const;

/** Oldest first (specification, section 4.2). */
export async function getLogs(
  context: QueryContext,
  parameters: Parameters,
  { isEtherscan }: ActionRequest,
): Promise<Answer> {
  expectRequired(parameters, isEtherscan);
  const query = {
    fromBlock: await readBlock(context, parameters, "fromBlock"),
    toBlock: await readBlock(context, parameters, "toBlock"),
    address: optionalAddress(parameters, "address", "Invalid address format"),
    topics: parseTopics(parameters),
    ...parsePage(parameters, MAX_LOGS),
  };
  return indexedList(new WrittenList(await findLogs(context, query), writeLog), "No records found");
}

const topicName = (number: TopicNumber) => `topic${number}`;
const operatorName = ([one, other]: TopicPair["topics"]) => `topic${one}_${other}_opr`;

/** Topic operators are checked first, with the specification's messages (section 4.2, rule 2). */
function expectRequired(parameters: Parameters, isEtherscan: boolean): void {
  const given = TOPIC_NUMBERS.filter((number) => parameters.get(topicName(number)) !== undefined);
  const pairs = TOPIC_PAIRS.filter((pair) => pair.every((number) => given.includes(number)));
  const operators = pairs.map(operatorName).filter((name) => parameters.get(name) === undefined);
  const bounds = isEtherscan ? [] : Object.keys(DEFAULT_BOUNDS);
  const missing = bounds.filter((name) => parameters.get(name) === undefined);
  if (parameters.get("address") === undefined && given.length === 0) missing.push("address and/or topic{x}");
  const absent = operators.length > 0 ? operators : missing;
  if (absent.length > 0) throw new ActionError(`Required query parameters missing: ${absent.join(", ")}`);
}

async function readBlock(
  context: QueryContext,
  parameters: Parameters,
  name: keyof typeof DEFAULT_BOUNDS,
): Promise<BlockBound> {
  const block = parseBlockName(parameters.get(name) ?? DEFAULT_BOUNDS[name]);
  if (block === undefined) throw new ActionError(`Invalid ${name} format`);
  if (typeof block === "number" || block === "latest") return block;
  if (block === "earliest") return 0;
  const resolved = await resolveBlock(context, block);
  if (resolved === undefined) throw new ActionError("Block does not exist");
  return resolved.number;
}

function parseTopics(parameters: Parameters): TopicFilter | undefined {
  const topics = new Map<TopicNumber, Bytes>();
  for (const number of TOPIC_NUMBERS) {
    const text = parameters.get(topicName(number));
    const topic = text === undefined ? undefined : parseHash(text);
    if (text !== undefined && topic === undefined) throw new ActionError(`Invalid ${topicName(number)} format`);
    if (topic !== undefined) topics.set(number, topic);
  }
  const pairs = TOPIC_PAIRS.filter((pair) => pair.every((number) => topics.has(number)));
  const clauses = pairs.map((pair): TopicPair => ({ topics: pair, operator: parseOperator(parameters, pair) }));
  return topics.size === 0 ? undefined : new TopicFilter(topics, clauses);
}

function parseOperator(parameters: Parameters, pair: TopicPair["topics"]): TopicPair["operator"] {
  const operator = parameters.get(operatorName(pair))?.toLowerCase();
  if (operator !== "and" && operator !== "or") throw new ActionError(`Invalid ${operatorName(pair)} format`);
  return operator;
}
