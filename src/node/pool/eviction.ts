import { EMPTY } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { SubmittedTransaction } from "./decodeRawTransaction.ts";
import type { PooledTransaction, PooledTransactions } from "./pooledTransactions.ts";
import { sizeOf } from "./transactionSize.ts";

/** geth's limits. Queued transactions lack an earlier nonce. */
export const POOL_LIMITS = {
  transactions: 6144,
  queued: 1024,
  queuedOfOneSender: 64,
  executableOfOneSender: 1024,
  blobTransactionsOfOneSender: 16,
  /** Including blobs. */
  bytes: 64 << 20,
};

type Limits = Pick<typeof POOL_LIMITS, "transactions" | "queued" | "queuedOfOneSender" | "bytes">;

export function makeRoom(
  pooled: PooledTransactions,
  tx: SubmittedTransaction,
  isExecutable: boolean,
  limits: Limits = POOL_LIMITS,
): PooledTransaction[] | undefined {
  const size = { transactions: pooled.size + 1, queued: 0, bytes: pooled.bytes + sizeOf(tx) };
  const isOver = () =>
    size.transactions > limits.transactions || size.bytes > limits.bytes || size.queued > limits.queued;
  if (!isOver() && (isExecutable || pooled.size < limits.queued)) return [];
  const { pending, queued } = pooled.content();
  const waiting = [...queued.values()].flat().sort(cheapestFirst);
  size.queued = waiting.length + Number(!isExecutable);
  const evicted: PooledTransaction[] = [];
  const evict = (one: PooledTransaction) => {
    evicted.push(one);
    size.transactions--;
    size.bytes -= sizeOf(one);
  };
  for (const one of waiting) {
    if (!isOver()) return evicted;
    if (!isExecutable && bidOf(one) >= bidOf(tx)) return undefined;
    evict(one);
    size.queued--;
  }
  const sender = toHex(tx.transaction.from);
  const others = isExecutable ? [...pending].filter(([other]) => other !== sender) : [];
  for (const one of others.flatMap(([, list]) => list.slice(-1)).sort(cheapestFirst)) {
    if (!isOver()) return evicted;
    if (bidOf(one) >= bidOf(tx)) return undefined;
    evict(one);
  }
  return isOver() ? undefined : evicted;
}

/** Evicts the queue first, newest first. */
export function trim(pooled: PooledTransactions, limits: Limits = POOL_LIMITS): PooledTransaction[] {
  const { pending, queued } = pooled.content();
  const tooMany = [...queued.values()].flatMap((list) => list.slice(limits.queuedOfOneSender));
  const gone = new Set(tooMany);
  const queue = [...queued.values()].flat().filter((tx) => !gone.has(tx));
  const executable = [...pending.values()].flat();
  const order = [...queue.sort(cheapestFirst), ...executable.toReversed()];
  let [transactions, bytes] = [queue.length + executable.length, 0];
  for (const tx of order) bytes += sizeOf(tx);
  for (const [at, tx] of order.entries()) {
    const isQueueFull = queue.length - at > limits.queued;
    if (transactions <= limits.transactions && bytes <= limits.bytes && !isQueueFull) break;
    gone.add(tx);
    transactions--;
    bytes -= sizeOf(tx);
  }
  return [...gone];
}

function bidOf({ transaction: { maxFeePerGas, gasPrice } }: SubmittedTransaction): bigint {
  return uintToBigInt(maxFeePerGas ?? gasPrice ?? EMPTY);
}

/** Ties: newest first. */
function cheapestFirst(a: PooledTransaction, b: PooledTransaction): number {
  const [one, other] = [bidOf(a), bidOf(b)];
  if (one === other) return b.arrival - a.arrival;
  return one < other ? -1 : 1;
}
