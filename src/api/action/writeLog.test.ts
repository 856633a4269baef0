import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { FoundLog } from "../../store/read/foundLog.ts";
import type { ByteRange } from "../../store/rows/byteRange.ts";
import { stringify, WrittenList } from "../http/stringify.ts";
import { writeLog } from "./writeLog.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

const arrayOf = ({ bytes, start, end }: ByteRange) => bytes.slice(start, end);

function present(found: FoundLog) {
  const { context } = found;
  const { block } = context;
  const topics = arrayOf(found.topics);
  const { gasPrice, hashes, hashAt } = context;
  return {
    address: hex(arrayOf(found.address)),
    topics: Array.from({ length: topics.length / 32 }, (_, at) => hex(topics.slice(32 * at, 32 * at + 32))),
    data: hex(arrayOf(found.data)),
    blockNumber: `0x${block.number.toString(16)}`,
    blockHash: hex(block.hash),
    timeStamp: `0x${block.timestamp.toString(16)}`,
    gasPrice: `0x${BigInt(typeof gasPrice === "number" ? gasPrice : gasPrice.length ? hex(gasPrice) : 0).toString(16)}`,
    gasUsed: `0x${context.gasUsed.toString(16)}`,
    logIndex: `0x${found.logIndex.toString(16)}`,
    transactionHash: hex(hashes.slice(hashAt, hashAt + 32)),
    transactionIndex: `0x${context.transactionIndex.toString(16)}`,
  };
}

function randomLog(random: Random): FoundLog {
  const number = () => random.pick([0, random.int(16), random.int(2 ** 20), random.int(2 ** 50)]);
  const price = random.bytes(random.int(33));
  if (price.length > 0) price[0] = random.between(1, 255);
  const among = (length: number) => {
    const start = random.int(50);
    return { bytes: random.bytes(start + length + random.int(50)), start, end: start + length };
  };
  const hash = among(32);
  return {
    context: {
      block: { number: number(), hash: random.bytes(32), timestamp: number() },
      hashes: hash.bytes,
      hashAt: hash.start,
      transactionIndex: number(),
      gasUsed: number(),
      gasPrice: random.chance(0.5) ? number() : price,
      firstLog: number(),
      position: number(),
    },
    logIndex: number(),
    address: among(20),
    topics: among(32 * random.int(5)),
    data: among(random.pick([0, 1, 32, 64, random.int(3000), 40_000])),
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
