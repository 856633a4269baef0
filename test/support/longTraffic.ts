import type { Log } from "../../src/chain/block/receipt.ts";
import type { Authorization, Transaction } from "../../src/chain/block/transaction.ts";
import type { Draft } from "../../src/chain/encoding/wire.ts";
import type { Random } from "./random.ts";

/** Gives a transaction an input, a list or a field of its own that is far longer than those of others. */
export function lengthen(tx: Draft<Transaction>, random: Random, authorize: () => Authorization): void {
  const roll = random.int(3);
  const many = random.pick([6, 7, 32, 33, 150]);
  if (roll === 0) {
    tx.input = random.bytes(random.pick([1023, 1024, 1025, 4000, 4100, random.between(5_000, 40_000)]));
    return;
  }
  if (roll === 1) tx.extra = { ...tx.extra, note: "long ".repeat(random.pick([100, 250, 400, 780])) };
  if (tx.type === 4) tx.authorizationList = Array.from({ length: many }, authorize);
  else if (tx.type === 3) tx.blobVersionedHashes = Array.from({ length: many }, () => blobHash(random));
  else if (tx.accessList !== undefined) {
    tx.accessList = Array.from({ length: many }, () => ({
      address: random.bytes(20),
      storageKeys: Array.from({ length: random.int(6) }, () => random.bytes(32)),
    }));
  }
}

function blobHash(random: Random): Uint8Array {
  const hash = random.bytes(32);
  hash[0] = 1;
  return hash;
}

/** Logs of a transaction that emits many of them, much data, or both. */
export function longLogs(random: Random, ordinary: () => Draft<Log>): Draft<Log>[] {
  const roll = random.int(4);
  const empty = () => ({ ...ordinary(), topics: new Uint8Array(0), data: new Uint8Array(0) });
  if (roll === 0) return Array.from({ length: random.between(200, 900) }, empty);
  if (roll === 1) return Array.from({ length: random.between(50, 250) }, ordinary);
  const logs = Array.from({ length: random.between(1, 12) }, ordinary);
  for (const log of logs) {
    if (random.chance(0.6))
      log.data = random.bytes(random.pick([1000, 1024, 1025, 3000, random.between(4_000, 20_000)]));
    if (random.chance(0.1)) log.extra = { note: "long ".repeat(random.pick([20, 300, 780])) };
  }
  return logs;
}
