import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBlock, receiptsRoot, transactionHash, transactionsRoot } from "../../src/chain/block/block.ts";
import { headerHash, withdrawalsRoot } from "../../src/chain/block/header.ts";
import { isKnownType } from "../../src/chain/block/transaction.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { logsBloom } from "../../src/chain/hashing/bloom.ts";
import { SimulatedChain } from "./simulatedChain.ts";

function checkBlock(chain: SimulatedChain, number: number): void {
  const { header, transactions, receipts } = decodeBlock(chain.wireBlock(number), chain.wireReceipts(number));
  const logs = receipts.flatMap((receipt) => receipt.logs);

  assert.deepEqual(toHex(headerHash(header)), toHex(header.hash));
  assert.deepEqual(toHex(receiptsRoot(transactions, receipts)), toHex(header.receiptsRoot));
  assert.deepEqual(toHex(withdrawalsRoot(header.withdrawals!)), toHex(header.withdrawalsRoot!));
  assert.deepEqual(toHex(logsBloom(logs)), toHex(header.logsBloom));
  assert.deepEqual(
    logs.map((log) => log.logIndex),
    logs.map((_, index) => index),
  );
  assert.equal(receipts.at(-1)?.cumulativeGasUsed ?? 0, header.gasUsed);
  if (number > 0) assert.equal(toHex(header.parentHash), chain.at(number - 1)!.hash);
  if (!transactions.every((tx) => isKnownType(tx.type))) return;
  assert.deepEqual(toHex(transactionsRoot(transactions)), toHex(header.transactionsRoot));
  for (const tx of transactions) assert.equal(toHex(transactionHash(tx)), toHex(tx.hash));
}

function checkNonces(chain: SimulatedChain): void {
  const next = new Map<string, number>();
  for (let number = 0; number < chain.length; number++) {
    for (const tx of chain.wireBlock(number)!.transactions) {
      assert.equal(Number(tx.nonce), next.get(tx.from) ?? 0);
      next.set(tx.from, Number(tx.nonce) + 1);
    }
  }
}

function hashesIn(chain: SimulatedChain): string[] {
  return Array.from({ length: chain.length }, (_, number) => chain.at(number)!.hash);
}

for (const traffic of [{}, { byzantium: 20 }, { deposits: true, extraFields: true }]) {
  test(`a simulated chain with ${JSON.stringify(traffic)} commits to its content, forks included`, () => {
    const chain = new SimulatedChain({ seed: 7, traffic });

    chain.mine(40);
    for (let i = 1; i < 8; i++) chain.fork(i, i + 1);

    for (let number = 0; number < chain.length; number++) checkBlock(chain, number);
    checkNonces(chain);
  });
}

test("the same seed gives the same chain, another seed another genesis", () => {
  const [one, same, other] = [3, 3, 4].map((seed) => new SimulatedChain({ seed }));

  for (const chain of [one!, same!]) {
    chain.mine(20);
    chain.fork(5, 6);
  }

  assert.deepEqual(hashesIn(one!), hashesIn(same!));
  assert.notEqual(one!.at(0)!.hash, other!.at(0)!.hash);
});

test("a fork brings some transactions back and drops others, and abandoned blocks are found by hash", () => {
  const chain = new SimulatedChain({ seed: 11 });
  chain.mine(30);
  const abandoned = Array.from({ length: 10 }, (_, i) => chain.at(21 + i)!);
  const before = abandoned.flatMap(({ block }) => block.transactions.map((tx) => tx.hash));

  chain.fork(10, 12);

  const after = new Set(
    Array.from({ length: 12 }, (_, i) => chain.wireBlock(21 + i)!.transactions)
      .flat()
      .map((tx) => tx.hash),
  );
  const back = before.filter((hash) => after.has(hash));
  assert.equal(chain.head.number, 32);
  assert.ok(back.length > 0 && back.length < before.length, `${back.length} of ${before.length} came back`);
  for (const block of abandoned) assert.equal(chain.blockByHash(block.hash), block);
  for (const hash of back) assert.notEqual(chain.transactionByHash(hash)!.blockHash, null);
});

test("a truncated chain ends earlier and a reset one begins anew", () => {
  const chain = new SimulatedChain({ seed: 5 });
  const genesis = chain.head.hash;
  chain.mine(10);
  const last = chain.head.hash;

  chain.truncate(6);
  assert.equal(chain.head.number, 6);
  assert.equal(chain.blockByHash(last), undefined);

  chain.reset();
  assert.equal(chain.length, 1);
  assert.notEqual(chain.head.hash, genesis);
  assert.equal(chain.blockByHash(genesis), undefined);
});

test("a submitted transaction waits without a block until one takes it", () => {
  const chain = new SimulatedChain({ seed: 9, traffic: { transactions: [0, 0] } });

  const hash = chain.submit();
  assert.equal(chain.transactionByHash(hash)!.blockHash, null);

  chain.mine(20);
  assert.notEqual(chain.transactionByHash(hash)!.blockHash, null);
});
