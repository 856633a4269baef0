import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Block } from "../../chain/block/block.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { openStore } from "../../store/openStore.ts";
import type { FoundLog } from "../../store/read/logRows.ts";
import type { LogQuery } from "./findLogs.ts";
import { findLogs } from "./findLogs.ts";
import type { TopicNumber, TopicPair } from "./topicFilter.ts";
import { TOPIC_NUMBERS, TOPIC_PAIRS, TopicFilter } from "./topicFilter.ts";

const QUERIES = Number(process.env.ORIEL_CASES ?? 300);
const SEED = Number(process.env.ORIEL_SEED ?? randomInt(2 ** 31));

/** A log as a node tells it, in words that compare. */
interface PlainLog {
  readonly block: number;
  readonly address: string;
  readonly topics: readonly string[];
  readonly all: string;
}

const topicsOf = (topics: Bytes) =>
  Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(32 * at, 32 * at + 32)));

const describe = (log: Omit<FoundLog, "firstLog">): string =>
  [
    ...[log.blockNumber, toHex(log.blockHash), log.timestamp, toHex(log.transactionHash), log.transactionIndex],
    ...[log.gasUsed, log.gasPrice && uintToBigInt(log.gasPrice), log.logIndex, toHex(log.address)],
    ...[topicsOf(log.topics).join(), toHex(log.data)],
  ].join(" ");

function plainLogs(blocks: readonly Block[]): PlainLog[] {
  return blocks.flatMap(({ header, transactions, receipts }) => {
    let logIndex = 0;
    return receipts.flatMap(({ logs, gasUsed, effectiveGasPrice }, transactionIndex) =>
      logs.map((log) => {
        const { hash: transactionHash, gasPrice } = transactions[transactionIndex]!;
        const ofBlock = { blockNumber: header.number, blockHash: header.hash, timestamp: header.timestamp };
        const ofTransaction = { transactionHash, transactionIndex, gasUsed, gasPrice: effectiveGasPrice ?? gasPrice };
        const all = describe({ ...log, ...ofBlock, ...ofTransaction, logIndex: logIndex++ });
        return { block: header.number, address: toHex(log.address), topics: topicsOf(log.topics), all };
      }),
    );
  });
}

/** Queries for what is on the chain, and now and then for what is not. */
function randomQuery(random: Random, logs: readonly PlainLog[], blocks: number) {
  const one = () => logs[random.int(logs.length)]!;
  const sample = one();
  const address = random.chance(0.6) ? (random.chance(0.9) ? sample : one()).address : undefined;
  const topics = new Map<TopicNumber, string>();
  for (const number of TOPIC_NUMBERS) {
    const topic = (random.chance(0.85) ? sample : one()).topics[number];
    if (random.chance(0.4) && topic !== undefined)
      topics.set(number, random.chance(0.97) ? topic : `0x${"0b".repeat(32)}`);
  }
  const pairs = TOPIC_PAIRS.flatMap((pair): TopicPair[] =>
    pair.every((number) => topics.has(number)) ? [{ topics: pair, operator: random.chance(0.6) ? "and" : "or" }] : [],
  );
  const [a, b] = [random.int(blocks + 5), random.int(blocks + 5)];
  const [fromBlock, toBlock] = random.chance(0.4) ? [0, blocks + 9] : [Math.min(a, b), Math.max(a, b)];
  const limit = 1 + random.int(random.chance(0.5) ? 5 : 1000);
  return { address, topics, pairs, fromBlock, toBlock, limit, skip: limit * random.int(3) };
}
type Query = ReturnType<typeof randomQuery>;

function expected(logs: readonly PlainLog[], query: Query): string[] {
  const { address, topics, pairs, fromBlock, toBlock, skip, limit } = query;
  const matching = logs.filter((log) => {
    const has = (number: TopicNumber) => log.topics[number] === topics.get(number);
    if (log.block < fromBlock || log.block > toBlock || (address !== undefined && log.address !== address))
      return false;
    if (pairs.length === 0) return [...topics.keys()].every(has);
    return pairs.every(({ topics: [one, other], operator }) =>
      operator === "and" ? has(one) && has(other) : has(one) || has(other),
    );
  });
  return matching.slice(skip, skip + limit).map(({ all }) => all);
}

const bytesOf = (hex: string): Bytes => new Uint8Array(Buffer.from(hex.slice(2), "hex"));

function asQuery({ address, topics, pairs, ...rest }: Query): LogQuery {
  const filter = new TopicFilter(new Map([...topics].map(([number, topic]) => [number, bytesOf(topic)])), pairs);
  return {
    ...rest,
    address: address === undefined ? undefined : bytesOf(address),
    topics: topics.size === 0 ? undefined : filter,
  };
}

describeEngines((tested) => {
  test(`${QUERIES} queries find what a plain scan of the receipts does, also after a reorg (seed ${SEED})`, async (t) => {
    const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [0, 6], long: 0.02 } });
    chain.mine(250);
    const store = await openStore(tested.memory, chain.chainId);
    t.after(() => store.close());
    const append = async (from: number) => {
      const blocks = await simulatedSource(chain).blocks(from, chain.length - from);
      await store.append({ head: chain.length, blocks });
    };
    await append(0);
    const random = new Random(SEED);
    for (const turn of [0, 1]) {
      const logs = plainLogs(await simulatedSource(chain).blocks(0, chain.length));
      for (let at = 0; at < QUERIES / 2; at++) {
        const query = randomQuery(random, logs, chain.length);
        const found = await findLogs({ store }, asQuery(query));
        assert.deepEqual(found.map(describe), expected(logs, query), `turn ${turn}: ${JSON.stringify(query)}`);
      }
      if (turn === 1) return;
      chain.fork(20, 30);
      await store.unwind(chain.length - 31);
      await append(chain.length - 30);
    }
  });
});
