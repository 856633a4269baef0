import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import type { TestedEngine } from "../../../test/support/engines.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { meterReads } from "../../../test/support/readMeter.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { TrafficOptions } from "../../../test/support/simulatedTraffic.ts";
import type { Block } from "../../chain/block/block.ts";
import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { openStore } from "../../store/openStore.ts";
import type { FoundLog } from "../../store/read/foundLog.ts";
import { logOf, transactionHashOf } from "../../store/read/foundLog.ts";
import { PART } from "../../store/read/logRows.ts";
import type { BlockStamp } from "../../store/rows/blockBody.ts";
import { MAX_PART_LENGTH } from "../../store/rows/dividedBody.ts";
import { MAX_CHUNK_LENGTH } from "../../store/rows/logBody.ts";
import { StoreReader } from "../../store/storeReader.ts";
import type { LogQuery } from "./findLogs.ts";
import { findLogs } from "./findLogs.ts";
import type { TopicNumber, TopicPair } from "./topicFilter.ts";
import { TOPIC_NUMBERS, TOPIC_PAIRS, TopicFilter } from "./topicFilter.ts";

const QUERIES = Number(process.env.ORIEL_CASES ?? 1000);
const SEED = firstSeed();

interface PlainLog {
  readonly block: number;
  readonly address: string;
  readonly topics: readonly string[];
  readonly all: string;
}

const topicsOf = (topics: Bytes) =>
  Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(32 * at, 32 * at + 32)));

interface DescribedLog extends Log {
  readonly block: BlockStamp;
  readonly transactionHash: Bytes;
  readonly transactionIndex: number;
  readonly gasUsed: number;
  readonly gasPrice: bigint;
}

const describe = ({ block, ...log }: DescribedLog): string =>
  [
    ...[block.number, toHex(block.hash), block.timestamp, toHex(log.transactionHash), log.transactionIndex],
    ...[log.gasUsed, log.gasPrice, log.logIndex, toHex(log.address), topicsOf(log.topics).join(), toHex(log.data)],
  ].join(" ");

function describeFound(found: FoundLog): string {
  const { block, transactionIndex, gasUsed, gasPrice } = found.context;
  const price = typeof gasPrice === "number" ? BigInt(gasPrice) : uintToBigInt(gasPrice);
  const transactionHash = transactionHashOf(found);
  return describe({ ...logOf(found), block, transactionHash, transactionIndex, gasUsed, gasPrice: price });
}

const sizeOf = ({ data }: FoundLog) => data.end - data.start;

function plainLogs(blocks: readonly Block[]): PlainLog[] {
  return blocks.flatMap(({ header, transactions, receipts }) => {
    let logIndex = 0;
    return receipts.flatMap(({ logs, gasUsed, effectiveGasPrice }, transactionIndex) =>
      logs.map((log) => {
        const { hash: transactionHash, gasPrice, maxFeePerGas } = transactions[transactionIndex]!;
        const price = uintToBigInt(effectiveGasPrice ?? gasPrice ?? maxFeePerGas!);
        const ofTransaction = { transactionHash, transactionIndex, gasUsed, gasPrice: price };
        const all = describe({ ...log, block: header, ...ofTransaction, logIndex: logIndex++ });
        return { block: header.number, address: toHex(log.address), topics: topicsOf(log.topics), all };
      }),
    );
  });
}

/** Mostly queries for existing logs. */
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

async function openIndex(t: TestContext, tested: TestedEngine, blocks: number, traffic: Partial<TrafficOptions>) {
  const chain = new SimulatedChain({ seed: SEED, traffic });
  chain.mine(blocks);
  const store = await openStore(tested.memory, chain.chainId);
  t.after(() => store.close());
  const indexed = await simulatedSource(chain).blocks(0, chain.length);
  const logs = plainLogs(indexed);
  await store.append({ head: chain.length, blocks: indexed });
  return { store, logs };
}

/** A filter without topics, for which there is no list. */
const EVERY = new TopicFilter(new Map(), []);

/** Row size of a divided transaction, with the blocks, addresses and signatures of a part. */
const MAX_ROW_LENGTH = 6 * MAX_PART_LENGTH + 1024;
const OTHERS = 64_000;

const NO_LIMITS = { listed: 1e9, scanned: 1e9, data: 1e9, part: PART };

/** Small enough that parts end within a transaction and within its chunks. */
const SMALL_PARTS = { rows: 3, chunks: 1, logs: 5, bytes: 500, data: 200 };

describeEngines((tested) => {
  test(`${QUERIES} queries find what a plain scan of the receipts does, also after a reorg (seed ${SEED})`, async (t) => {
    const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [0, 6], long: 0.02 } });
    chain.mine(100);
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
        const limits = random.chance(0.5) ? { ...NO_LIMITS, part: SMALL_PARTS } : undefined;
        const found = await findLogs({ store }, asQuery(query), limits);
        assert.deepEqual(found.map(describeFound), expected(logs, query), `turn ${turn}: ${JSON.stringify(query)}`);
      }
      if (turn === 1) return;
      chain.fork(20, 30);
      await store.unwind(chain.length - 31);
      await append(chain.length - 30);
    }
  });

  test(`a part of a search reads little, however many logs a transaction has (seed ${SEED})`, async (t) => {
    const { store } = await openIndex(t, tested, 60, { transactions: [4, 8], long: 0.5 });
    const meter = meterReads(store.database);
    const parts: number[] = [];
    const { read } = StoreReader.prototype;
    store.read = async (work) => {
      const [result, { bytes }] = await meter(() => read.call(store, work));
      parts.push(bytes);
      return result as Awaited<ReturnType<typeof work>>;
    };
    const part = { rows: 5, chunks: 4, logs: 100, bytes: 8000, data: 8000 };
    const nobody = new TopicFilter(new Map([[1, new Uint8Array(32).fill(7)]]), []);
    const every = { fromBlock: 0, toBlock: "latest", skip: 0, limit: 1000 } as const;

    await findLogs({ store }, { ...every, topics: nobody }, { ...NO_LIMITS, part });
    const scan = parts.splice(0);
    const found = await findLogs({ store }, { ...every, topics: EVERY }, { ...NO_LIMITS, part });

    const max = part.rows * MAX_ROW_LENGTH + part.bytes + part.chunks * MAX_CHUNK_LENGTH;
    assert.ok(scan.length > 20 && Math.max(...scan) < max, `${Math.max(...scan)} of ${max} in ${scan.length}`);
    const sizes = found.map(sizeOf);
    const maxTaken = max + part.data + Math.max(...sizes) + OTHERS;
    assert.ok(Math.max(...parts) < maxTaken, `${Math.max(...parts)} of ${maxTaken}`);
  });

  test(`what has to be searched and what is sent is limited, in words (seed ${SEED})`, async (t) => {
    const { store, logs } = await openIndex(t, tested, 30, {});
    const topics = new TopicFilter(new Map([[1, new Uint8Array(32).fill(7)]]), []);
    const { address } = logs[0]!;
    const emitted = logs.filter((log) => log.address === address).length;
    const every = { fromBlock: 0, toBlock: "latest", skip: 0, limit: 1000 } as const;
    const ask = (query: Partial<LogQuery>, limits: object) =>
      findLogs({ store }, { ...every, ...query }, { ...NO_LIMITS, ...limits });
    const refused = (message: string) => ({ code: "limit_exceeded", message });

    assert.deepEqual(await ask({ topics }, { scanned: logs.length }), []);
    await assert.rejects(
      ask({ topics }, { scanned: logs.length - 1 }),
      refused(`${logs.length} logs would have to be searched; ask for fewer blocks`),
    );
    const ofAddress = { topics, address: bytesOf(address) };
    assert.deepEqual(await ask(ofAddress, { listed: emitted, scanned: 0 }), []);
    assert.deepEqual(await ask(ofAddress, { listed: emitted - 1 }), []);
    await assert.rejects(
      ask(ofAddress, { listed: emitted - 1, scanned: logs.length - 1 }),
      refused(`${logs.length} logs would have to be searched; ask for fewer blocks`),
    );
    const whole = await ask({ address: bytesOf(address) }, {});
    const size = whole.reduce((sum, log) => sum + sizeOf(log), 0);
    assert.equal((await ask({ address: bytesOf(address) }, { data: size })).length, emitted);
    await assert.rejects(
      ask({ address: bytesOf(address) }, { data: size - 1 }),
      refused(`the logs have over ${size - 1} bytes of data; ask for fewer`),
    );
  });

  test(`a log that a list has and no row is damage, whichever row is gone (seed ${SEED})`, async (t) => {
    const { store, logs } = await openIndex(t, tested, 30, {});
    const { address } = logs.find(({ topics }) => topics.length > 0)!;
    const rows = await store.database.all<[number, Uint8Array]>("SELECT position, body FROM tx ORDER BY position");
    const every = { address: bytesOf(address), fromBlock: 0, toBlock: "latest", skip: 0, limit: 1000 } as const;
    const emitted = logs.filter((log) => log.address === address).length;
    let damaged = 0;
    for (const [position, body] of rows) {
      await autocommit(store.database).run("DELETE FROM tx WHERE position = ?", position);
      const found = await findLogs({ store }, every).catch((error) => error);
      if (Array.isArray(found)) assert.equal(found.length, emitted);
      else assert.equal(found.code, "store_corrupt");
      if (!Array.isArray(found)) damaged++;
      await autocommit(store.database).insert("tx", ["position", "body"], [[position, body]]);
    }
    await autocommit(store.database).run("DELETE FROM tx");

    assert.ok(damaged > 0);
    await assert.rejects(findLogs({ store }, every), { code: "store_corrupt" });
  });

  test(`a search reads no blocks but those of what it finds (seed ${SEED})`, async (t) => {
    const { store, logs } = await openIndex(t, tested, 30, {});
    const { block, topics } = logs.findLast(
      (log) =>
        log.topics.length > 1 && logs.every((other) => other.block >= log.block || other.topics[1] !== log.topics[1]),
    )!;
    await autocommit(store.database).run(
      "UPDATE block SET body = ? WHERE number < ? AND number > 0",
      new Uint8Array(3),
      block,
    );
    const wanted = new TopicFilter(new Map([[1, bytesOf(topics[1]!)]]), []);

    const found = await findLogs({ store }, { topics: wanted, fromBlock: 0, toBlock: block, skip: 0, limit: 1000 });

    assert.ok(found.length > 0);
  });
});
