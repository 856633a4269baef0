import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { HistoricTransaction } from "../../query/transactions/addressHistory.ts";
import type { Amount } from "../../store/rows/gasPrice.ts";
import { stringify, WrittenList } from "../http/stringify.ts";
import { writeTransaction } from "./writeTransaction.ts";

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
const decimal = (amount: Amount) =>
  BigInt(typeof amount === "number" ? amount : amount.length ? hex(amount) : 0).toString();

function present({ record, input, called }: HistoricTransaction, height: number) {
  const { block, hashes, hashAt, addresses, fromAt, toAt, contractAt } = record;
  const addressAt = (at: number) => hex(addresses.slice(at, at + 20));
  return {
    blockNumber: String(block.number),
    timeStamp: String(block.timestamp),
    hash: hex(hashes.slice(hashAt, hashAt + 32)),
    nonce: decimal(record.nonce),
    blockHash: hex(block.hash),
    transactionIndex: String(record.index),
    gas: decimal(record.gas),
    gasPrice: decimal(record.gasPrice),
    gasUsed: String(record.gasUsed),
    cumulativeGasUsed: String(record.cumulativeGasUsed),
    confirmations: String(height > block.number ? height - block.number + 1 : 1),
    methodId: input.length < 4 ? "0x" : hex(input.slice(0, 4)),
    from: addressAt(fromAt),
    to: toAt === null ? "" : addressAt(toAt),
    value: decimal(record.value),
    isError: record.status === 0 ? "1" : "0",
    txreceipt_status: record.status === undefined ? "" : String(record.status),
    input: hex(input),
    contractAddress: contractAt === null ? "" : addressAt(contractAt),
    functionName: called === undefined ? "" : `${called.name}()`,
  };
}

function randomTransaction(random: Random): HistoricTransaction {
  const number = () => random.pick([0, random.int(10), random.int(2 ** 20), random.int(2 ** 50)]);
  const amount = () => {
    const bytes = random.bytes(random.pick([0, 1, 4, 6, 7, 8, 10, random.int(33)]));
    if (bytes.length > 0) bytes[0] = random.between(1, 255);
    return random.chance(0.5) ? bytes : number();
  };
  const input = random.bytes(random.pick([0, 3, 4, 68, random.int(3000)]));
  const record = {
    block: { number: number(), timestamp: number(), hash: random.bytes(32) },
    index: number(),
    hashes: random.bytes(100),
    hashAt: random.int(69),
    addresses: random.bytes(100),
    fromAt: random.int(81),
    toAt: random.chance(0.2) ? null : random.int(81),
    contractAt: random.chance(0.5) ? null : random.int(81),
    nonce: amount(),
    gas: amount(),
    value: amount(),
    input: random.chance(0.5) ? null : input,
    gasPrice: amount(),
    gasUsed: number(),
    cumulativeGasUsed: number(),
    status: random.pick([0, 1, undefined] as const),
  };
  const name = random.pick([undefined, "transfer", '"quoted"', "größer\u2028"]);
  return { record, input, called: name === undefined ? undefined : { name, inputs: [] } };
}

test("the records of transactions are written as their objects are", async (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);

  for (const count of [1, 2, 50, 51, 1000]) {
    const height = random.int(2 ** 20);
    const transactions = Array.from({ length: count }, () => randomTransaction(random));
    const list = new WrittenList(transactions, (each, json) =>
      writeTransaction(each, { newest: height, canonical: Number.POSITIVE_INFINITY }, json),
    );
    const written = await stringify({ status: "1", message: "OK", result: list });
    const result = transactions.map((each) => present(each, height));
    assert.equal(String(written), JSON.stringify({ status: "1", message: "OK", result }));
  }
});
