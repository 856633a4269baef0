import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { HistoricTransaction } from "../../query/transactions/addressHistory.ts";
import type { StoredBlock } from "../../store/read/blocks.ts";
import { stringify, WrittenList } from "../http/stringify.ts";
import { writeTransaction } from "./writeTransaction.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const decimal = (uint: Uint8Array | undefined) => BigInt(uint?.length ? hex(uint) : 0).toString();

/** The record as an object. */
function present({ mined, functionName }: HistoricTransaction, height: number) {
  const { header } = mined.block;
  return {
    blockNumber: String(header.number),
    timeStamp: String(header.timestamp),
    hash: hex(mined.hash),
    nonce: decimal(mined.nonce),
    blockHash: hex(header.hash),
    transactionIndex: String(mined.index),
    gas: decimal(mined.gas),
    gasPrice: decimal(mined.gasPrice),
    gasUsed: String(mined.gasUsed),
    cumulativeGasUsed: String(mined.cumulativeGasUsed),
    confirmations: String(height > header.number ? height - header.number : 0),
    methodId: mined.to === null || mined.input.length < 4 ? "0x" : hex(mined.input.slice(0, 4)),
    from: hex(mined.from),
    to: mined.to === null ? "" : hex(mined.to),
    value: decimal(mined.value),
    isError: mined.status === 0 ? "1" : "0",
    txreceipt_status: mined.status === undefined ? "" : String(mined.status),
    input: hex(mined.input),
    contractAddress: mined.contractAddress === null ? "" : hex(mined.contractAddress),
    functionName: functionName ?? "",
  };
}

function randomTransaction(random: Random): HistoricTransaction {
  const number = () => random.pick([0, random.int(10), random.int(2 ** 20), random.int(2 ** 50)]);
  const uint = () => {
    const bytes = random.bytes(random.pick([0, 1, 4, 6, 7, 8, 10, random.int(33)]));
    if (bytes.length > 0) bytes[0] = random.between(1, 255);
    return bytes;
  };
  const header = { number: number(), timestamp: number(), hash: random.bytes(32) };
  const mined = {
    position: number(),
    index: number(),
    hash: random.bytes(32),
    from: random.bytes(20),
    to: random.chance(0.2) ? null : random.bytes(20),
    nonce: uint(),
    gas: uint(),
    value: uint(),
    input: random.bytes(random.pick([0, 3, 4, 68, random.int(3000)])),
    gasPrice: random.chance(0.2) ? undefined : uint(),
    gasUsed: number(),
    cumulativeGasUsed: number(),
    status: random.pick([0, 1, undefined] as const),
    contractAddress: random.chance(0.5) ? null : random.bytes(20),
    block: { header } as StoredBlock,
  };
  return { mined, functionName: random.pick([undefined, "transfer", '"quoted"', "größer\u2028"]) };
}

test("the records of transactions are written as their objects are", async (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);

  for (const count of [1, 2, 50, 51, 1000]) {
    const height = random.int(2 ** 20);
    const transactions = Array.from({ length: count }, () => randomTransaction(random));
    const list = new WrittenList(transactions, (each, json) => writeTransaction(each, height, json));
    const written = await stringify({ status: "1", message: "OK", result: list });
    const result = transactions.map((each) => present(each, height));
    assert.equal(String(written), JSON.stringify({ status: "1", message: "OK", result }));
  }
});
