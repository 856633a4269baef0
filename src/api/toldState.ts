import type { Bytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Hex } from "../chain/hex.ts";
import { toHex } from "../chain/hex.ts";
import type { ProxyType } from "../chain/proxy.ts";
import { proxyOf, proxySlots } from "../chain/proxy.ts";
import type { Head } from "../chain/source.ts";
import { uintToBigInt } from "../chain/uint.ts";
import { WireReader } from "../chain/wire.ts";
import type { ReadThrough, StateQuestion } from "./readThrough.ts";

type At = Pick<Head, "number" | "hash">;

/** What an account has at a block. */
export interface ToldAccount {
  readonly balance: bigint;
  readonly code: Bytes;
}

/** Who runs in place of a contract. */
export interface ToldProxy {
  readonly type: ProxyType;
  readonly implementations: readonly Bytes[];
}

/** Bytes of code kept in memory. */
const MOST_KEPT = 16 << 20;
/** What keeping anything costs beside its code. */
const OVERHEAD = 200;
/** `implementation()`, which beacons answer. */
const IMPLEMENTATION = Uint8Array.of(0x5c, 0x60, 0xda, 0x1b);

/** What the node says of accounts after a block: their balance, their code, and who runs for them. Kept until the next block. */
export class ToldState {
  readonly #readThrough: ReadThrough;
  #block = "";
  #known = new Map<string, ToldAccount | ToldProxy | null>();
  #size = 0;

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Undefined where the node does not say, or not in time. */
  account(address: Bytes, at: At): Promise<ToldAccount | undefined> {
    return this.#tell(`account ${toHex(address)}`, at, () => this.#askAccount(toHex(address), at));
  }

  /** Null for what is no proxy of a known kind; undefined where the node does not say. */
  proxy(address: Bytes, code: Bytes, at: At): Promise<ToldProxy | null | undefined> {
    return this.#tell(`proxy ${toHex(address)}`, at, () => this.#askProxy(address, code, at));
  }

  async #tell<T extends ToldAccount | ToldProxy | null>(key: string, at: At, ask: () => Promise<T>) {
    const known = this.#at(toHex(at.hash));
    if (known.has(key)) return known.get(key) as T;
    try {
      const told = await ask();
      known.set(key, told);
      this.#size += OVERHEAD + (told !== null && "code" in told ? told.code.length : 0);
      return told;
    } catch (error) {
      // A node that does not answer is no failure of the request: what it would have said is left out.
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  #at(block: string) {
    if (this.#block !== block || this.#size > MOST_KEPT) {
      this.#known = new Map();
      this.#size = 0;
    }
    this.#block = block;
    return this.#known;
  }

  async #askAccount(address: Hex, at: At): Promise<ToldAccount> {
    const questions: StateQuestion[] = [
      { method: "eth_getBalance", params: [address] },
      { method: "eth_getCode", params: [address] },
    ];
    const [balance, code] = await this.#readThrough.state(questions, at);
    const reader = new WireReader();
    return { balance: uintToBigInt(reader.uint(balance, "balance")), code: reader.bytes(code, "code").slice() };
  }

  async #askProxy(address: Bytes, code: Bytes, at: At): Promise<ToldProxy | null> {
    const slots = proxySlots(code);
    const ask = (slot: Hex): StateQuestion => ({ method: "eth_getStorageAt", params: [toHex(address), slot] });
    const words = slots.length === 0 ? [] : await this.#readThrough.state(slots.map(ask), at);
    const reader = new WireReader();
    const proxy = proxyOf(code, new Map(slots.map((slot, i) => [slot, reader.bytes(words[i], "storage", 32)])));
    if (proxy === undefined) return null;
    const { type, implementations, beacon } = proxy;
    return { type, implementations: beacon === undefined ? implementations : await this.#askBeacon(beacon, at) };
  }

  /** A beacon that says nothing has nobody run. */
  async #askBeacon(beacon: Bytes, at: At): Promise<Bytes[]> {
    const [told] = await this.#readThrough.calls([{ to: beacon, data: IMPLEMENTATION }], at);
    if (told instanceof ChainError) throw told;
    return told === "reverted" || told === undefined || told.length !== 32 ? [] : [told.slice(12)];
  }
}
