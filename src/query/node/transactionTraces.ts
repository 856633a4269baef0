import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { isAddress } from "../../chain/encoding/parse.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { invalid, readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { readAllCalls, readCallTrace } from "../../chain/trace/callTrace.ts";
import type { InternalCall, TracedCall } from "../../chain/trace/internalCall.ts";
import { LruCache } from "../../std/maps.ts";
import type { ReadThrough } from "./readThrough.ts";

export interface BalanceChange {
  readonly address: AddressBytes;
  readonly before: bigint;
  readonly after: bigint;
}

/** 32-byte words by slot. */
export interface StorageChange {
  readonly address: AddressBytes;
  readonly slot: Bytes;
  readonly before: Bytes;
  readonly after: Bytes;
}

interface AccountChanges {
  readonly balances: readonly BalanceChange[];
  readonly storage: readonly StorageChange[];
}

const MAX_KEPT = 16;

type Kept = readonly Wire[] | AccountChanges | readonly TracedCall[] | readonly (readonly InternalCall[])[];

/** Traces on demand, cached by transaction and block. */
export class TransactionTraces {
  readonly #readThrough: ReadThrough;
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT);

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Flat list as in `trace_transaction`. */
  raw(transaction: Bytes, block: Bytes): Promise<readonly Wire[]> {
    return this.#keep("raw", transaction, block, async () => {
      const trace = await this.#readThrough.traceWith(transaction, "flatCallTracer", {});
      return readArray(trace, "trace").map((each) => readObject(each, "trace"));
    });
  }

  changes(transaction: Bytes, block: Bytes): Promise<AccountChanges> {
    return this.#keep("changes", transaction, block, async () =>
      readChanges(await this.#readThrough.traceWith(transaction, "prestateTracer", { diffMode: true })),
    );
  }

  calls(transaction: Bytes, block: Bytes): Promise<readonly InternalCall[]> {
    return this.#keep("calls", transaction, block, async () =>
      callsIn(await this.#readThrough.trace(transaction, "whole")),
    );
  }

  allCalls(transaction: Bytes, block: Bytes): Promise<readonly TracedCall[]> {
    return this.#keep("all calls", transaction, block, async () =>
      readAllCalls(await this.#readThrough.trace(transaction, "whole"), new WireReader()),
    );
  }

  callsOfBlock(block: Bytes): Promise<readonly (readonly InternalCall[])[]> {
    return this.#keep("block", block, block, async () => {
      const traces = readArray(await this.#readThrough.traceBlock(block), "debug_traceBlockByHash");
      return traces.map((trace) => callsIn(readObject(trace, "trace").result));
    });
  }

  async #keep<T extends Kept>(kind: string, transaction: Bytes, block: Bytes, ask: () => Promise<T>): Promise<T> {
    const key = `${kind} ${toHex(transaction)} ${toHex(block)}`;
    const known = this.#kept.get(key) as T | undefined;
    if (known !== undefined) return known;
    const found = await ask();
    this.#kept.set(key, found);
    return found;
  }
}

/** Throws if the trace was too long. */
function callsIn(trace: unknown): readonly InternalCall[] {
  const { calls } = readCallTrace(trace, new WireReader());
  return calls === "too long" ? [] : calls;
}

/** Missing after: unchanged. Account only before: deleted; only after: created. */
function readChanges(trace: unknown): AccountChanges {
  const wire = readObject(trace, "trace");
  const [pre, post] = [readObject(wire.pre, "trace.pre"), readObject(wire.post, "trace.post")];
  const [balances, storage]: [BalanceChange[], StorageChange[]] = [[], []];
  for (const key of [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort()) {
    if (!isAddress(key)) throw invalid("trace.pre", key, "an address");
    const before = balanceIn(pre[key]) ?? 0n;
    const after = post[key] === undefined ? 0n : (balanceIn(post[key]) ?? before);
    const address = fromHex(key);
    if (before !== after) balances.push({ address, before, after });
    storage.push(...changedSlots(address, storageIn(pre[key]), storageIn(post[key])));
  }
  return { balances, storage };
}

function balanceIn(account: unknown): bigint | undefined {
  if (account === undefined) return undefined;
  const { balance } = readObject(account, "trace.account");
  return balance === undefined ? undefined : uintToBigInt(new WireReader().uint(balance, "trace.balance"));
}

/** A slot only before is now zero; only after, it was zero. */
function changedSlots(address: AddressBytes, pre: Wire, post: Wire): StorageChange[] {
  const slots = [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort();
  const changes = slots.map((slot) => ({
    address,
    slot: wordIn(slot, "trace.slot"),
    before: wordIn(pre[slot] ?? "0x", "trace.storage"),
    after: wordIn(post[slot] ?? "0x", "trace.storage"),
  }));
  return changes.filter(({ before, after }) => !equalBytes(before, after));
}

function storageIn(account: unknown): Wire {
  if (account === undefined) return {};
  const { storage } = readObject(account, "trace.account");
  return storage === undefined ? {} : readObject(storage, "trace.storage");
}

const WORD = /^0x[0-9a-f]{0,64}$/i;

function wordIn(text: unknown, path: string): Bytes {
  if (typeof text !== "string" || !WORD.test(text)) throw invalid(path, text, "a word of 32 bytes");
  return fromHex(`0x${text.slice(2).padStart(64, "0")}`);
}
