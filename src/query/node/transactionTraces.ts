import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { invalid, readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { LruCache } from "../../std/lruCache.ts";
import type { ReadThrough } from "./readThrough.ts";

/** A balance that a transaction changed. */
export interface BalanceChange {
  readonly address: AddressBytes;
  readonly before: bigint;
  readonly after: bigint;
}

const MOST_KEPT = 16;

/** What the node traces of single transactions, on demand. Kept by the transaction and the block it is in. */
export class TransactionTraces {
  readonly #readThrough: ReadThrough;
  readonly #kept = new LruCache<string, readonly Wire[] | readonly BalanceChange[]>(MOST_KEPT);

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** All calls in a row, each with its way down from the first, as `trace_transaction` has them. */
  raw(transaction: Bytes, block: Bytes): Promise<readonly Wire[]> {
    return this.#keep("raw", transaction, block, async () => {
      const trace = await this.#readThrough.traceWith(transaction, "flatCallTracer", {});
      return readArray(trace, "trace").map((each) => readObject(each, "trace"));
    });
  }

  /** The balances that it changed, by address. */
  balances(transaction: Bytes, block: Bytes): Promise<readonly BalanceChange[]> {
    return this.#keep("balances", transaction, block, async () =>
      readChanges(await this.#readThrough.traceWith(transaction, "prestateTracer", { diffMode: true })),
    );
  }

  async #keep<T extends readonly Wire[] | readonly BalanceChange[]>(
    kind: string,
    transaction: Bytes,
    block: Bytes,
    ask: () => Promise<T>,
  ): Promise<T> {
    const key = `${kind} ${toHex(transaction)} ${toHex(block)}`;
    const known = this.#kept.get(key) as T | undefined;
    if (known !== undefined) return known;
    const found = await ask();
    this.#kept.set(key, found);
    return found;
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;

/** What is not said after a transaction is as it was; an account that is only before is gone, and one only after is new. */
function readChanges(trace: unknown): BalanceChange[] {
  const wire = readObject(trace, "trace");
  const [pre, post] = [readObject(wire.pre, "trace.pre"), readObject(wire.post, "trace.post")];
  const changes: BalanceChange[] = [];
  for (const key of [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort()) {
    if (!ADDRESS.test(key)) throw invalid("trace.pre", key, "an address");
    const before = balanceIn(pre[key]) ?? 0n;
    const after = post[key] === undefined ? 0n : (balanceIn(post[key]) ?? before);
    if (before !== after) changes.push({ address: fromHex(key), before, after });
  }
  return changes;
}

function balanceIn(account: unknown): bigint | undefined {
  if (account === undefined) return undefined;
  const { balance } = readObject(account, "trace.account");
  return balance === undefined ? undefined : uintToBigInt(new WireReader().uint(balance, "trace.balance"));
}
