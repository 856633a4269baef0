import assert from "node:assert/strict";
import { test } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { fc } from "../../../test/support/fastCheck.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintFromNumber } from "../../chain/encoding/uint.ts";
import { makeRoom, POOL_LIMITS, trim } from "./eviction.ts";
import type { PooledTransaction } from "./pooledTransactions.ts";
import { PooledTransactions } from "./pooledTransactions.ts";

interface Plain {
  readonly sender: number;
  readonly nonce: number;
  readonly bid: number;
  readonly bytes: number;
}

function pooledOf({ sender, nonce, bid, bytes }: Plain, arrival: number): PooledTransaction {
  const hash = new Uint8Array(32).fill(sender);
  new DataView(hash.buffer).setUint32(0, nonce);
  const from = new Uint8Array(20).fill(sender);
  const transaction = { type: 2, hash, from, maxFeePerGas: uintFromNumber(bid) };
  return { transaction, runnable: { nonce: BigInt(nonce) }, raw: new Uint8Array(bytes), arrival } as never;
}

const LIMITS = { transactions: 12, queued: 5, queuedOfOneSender: 3, bytes: 600 };

const plain = fc.record({
  sender: fc.integer({ min: 1, max: 5 }),
  nonce: fc.integer({ min: 0, max: 6 }),
  bid: fc.integer({ min: 1, max: 9 }),
  bytes: fc.integer({ min: 1, max: 99 }),
});

function poolOf(some: readonly Plain[]): PooledTransactions {
  const pool = new PooledTransactions();
  for (const [at, each] of some.entries()) {
    pool.setNonce(toHex(new Uint8Array(20).fill(each.sender)), 0n);
    pool.put(pooledOf(each, at));
  }
  return pool;
}

const queuedIn = (pool: PooledTransactions) => [...pool.content().queued.values()].flat();

test("a pool that is over its limits is trimmed to them, and what can be mined goes last", () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 30 }), (some) => {
      const pool = poolOf(some);
      const executable = new Set([...pool.content().pending.values()].flat());
      const gone = trim(pool, LIMITS);
      for (const { transaction } of gone) pool.drop(transaction.hash);
      const queued = queuedIn(pool);

      assert.ok(pool.size <= LIMITS.transactions && pool.bytes <= LIMITS.bytes && queued.length <= LIMITS.queued);
      if (gone.some((tx) => executable.has(tx)))
        assert.deepEqual(
          queued.filter((tx) => !executable.has(tx)),
          [],
        );
    }),
    { numRuns: 1000 },
  );
});

test("who offers more finds room, what can be mined before what cannot, and the limits hold", () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 30 }), plain, fc.boolean(), (some, next, isExecutable) => {
      const pool = poolOf(some);
      for (const { transaction } of trim(pool, LIMITS)) pool.drop(transaction.hash);
      const [before, waiting] = [pool.size, queuedIn(pool)];
      const evicted = makeRoom(pool, pooledOf({ ...next, sender: 9 }, 99), isExecutable, LIMITS);
      if (evicted === undefined) return;
      for (const { transaction } of evicted) pool.drop(transaction.hash);

      assert.ok(pool.size + 1 <= LIMITS.transactions && pool.bytes + next.bytes <= LIMITS.bytes);
      assert.equal(pool.size, before - evicted.length);
      const mined = evicted.filter((tx) => !waiting.includes(tx));
      if (mined.length > 0) assert.ok(waiting.every((tx) => evicted.includes(tx)));
      const bids = (isExecutable ? mined : evicted).map(({ transaction }) => transaction.maxFeePerGas?.[0] ?? 0);
      assert.ok(bids.every((bid) => bid < next.bid));
      if (!isExecutable) assert.ok(queuedIn(pool).length + 1 <= LIMITS.queued);
    }),
    { numRuns: 1000 },
  );
});

test("well-known keys cannot fill the pool with unminable transactions, also across a restart", async (t) => {
  const directory = temporaryDirectory(t);
  const node = await DevelopmentNode.open({ directory, mines: false });
  const accounts = node.node.accounts.slice(2).map(({ privateKey }) => privateKeyToAccount(privateKey));
  const refusals = new Set<string>();
  for (const account of accounts) {
    for (let gap = 1; gap <= POOL_LIMITS.queuedOfOneSender + 4; gap++) {
      const raw = await account.signTransaction({
        ...{ chainId: 968, type: "eip1559", nonce: gap, gas: 21_000n, to: account.address },
        ...{ maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
      });
      await node.ask("eth_sendRawTransaction", raw).catch(({ message }: Error) => refusals.add(message));
    }
  }
  assert.deepEqual([...refusals], ["account limit exceeded: pooled 64 txs"]);
  const hash = await node.send({ nonce: 0 });
  await node.close();

  const after = await DevelopmentNode.open({ directory, mines: false });
  t.after(() => after.close());
  assert.equal(Number((await after.ask<{ queued: Hex }>("txpool_status")).queued), 64 * accounts.length);
  await after.ask("evm_mine");
  assert.notEqual((await after.ask<{ blockNumber: Hex | null }>("eth_getTransactionByHash", hash)).blockNumber, null);
});
