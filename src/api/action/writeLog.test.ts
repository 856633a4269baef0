import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { FoundLog } from "../../store/read/logRows.ts";
import { stringify, WrittenList } from "../http/stringify.ts";
import { writeLog } from "./writeLog.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

/** The record as an object. */
function present(log: FoundLog) {
  const topics = Array.from({ length: log.topics.length / 32 }, (_, at) => log.topics.slice(32 * at, 32 * at + 32));
  return {
    address: hex(log.address),
    topics: topics.map(hex),
    data: hex(log.data),
    blockNumber: `0x${log.blockNumber.toString(16)}`,
    blockHash: hex(log.blockHash),
    timeStamp: `0x${log.timestamp.toString(16)}`,
    gasPrice: `0x${BigInt(log.gasPrice?.length ? hex(log.gasPrice) : 0).toString(16)}`,
    gasUsed: `0x${log.gasUsed.toString(16)}`,
    logIndex: `0x${log.logIndex.toString(16)}`,
    transactionHash: hex(log.transactionHash),
    transactionIndex: `0x${log.transactionIndex.toString(16)}`,
  };
}

function randomLog(random: Random): FoundLog {
  const number = () => random.pick([0, random.int(16), random.int(2 ** 20), random.int(2 ** 50)]);
  const price = random.bytes(random.int(33));
  if (price.length > 0) price[0] = random.between(1, 255);
  return {
    address: random.bytes(20),
    topics: random.bytes(32 * random.int(5)),
    data: random.bytes(random.pick([0, 1, 32, 64, random.int(3000), 40_000])),
    blockNumber: number(),
    blockHash: random.bytes(32),
    timestamp: number(),
    gasPrice: random.chance(0.1) ? undefined : price,
    gasUsed: number(),
    logIndex: number(),
    transactionHash: random.bytes(32),
    transactionIndex: number(),
    firstLog: number(),
  };
}

test("the records of logs are written as their objects are", async (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);

  for (const count of [0, 1, 2, 50, 51, 400]) {
    const logs = Array.from({ length: count }, () => randomLog(random));
    const written = await stringify({ status: "1", message: "OK", result: new WrittenList(logs, writeLog) });
    assert.equal(String(written), JSON.stringify({ status: "1", message: "OK", result: logs.map(present) }));
  }
});
