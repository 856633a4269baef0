import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { withTimeout } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import type { StoredBlock } from "../../store/read/blocks.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import type { ReadThrough } from "./readThrough.ts";

export interface Creation {
  readonly creator: Bytes;
  readonly transaction: Bytes;
  /** Init code; undefined if it is longer than any that can run. */
  readonly input: Bytes | undefined;
}

interface Span {
  readonly first: number;
  readonly tip: { readonly number: number };
}

/** Block in which a contract appeared; without a creator for genesis. */
interface Appearance {
  readonly number: number;
  readonly hash: Bytes;
  readonly creation: Creation | undefined;
}

interface ContractCreatorsOptions {
  /** Milliseconds that a request waits; the search continues. */
  readonly timeout?: number;
  /** Milliseconds until a failed search is repeated. */
  readonly pause?: number;
  readonly now?: () => number;
}

/** Probes per batch; each batch divides the range by sixteen. */
const HEIGHTS = 15;
const MAX_SEARCHES = 4;
export const MAX_TRACED = 64;
export const MAX_FRAMES = 20_000;
const TURN = 500;
const MAX_INPUT_LENGTH = 128 << 10;
const MAX_KEPT = 200;

/**
 * Finds the creator of a contract not deployed by a transaction: searches the block in which its code appeared, then
 * the creating call. Cached while the block is canonical.
 */
export class ContractCreators {
  readonly #readThrough: ReadThrough;
  readonly #store: StoreReader;
  readonly #timeout: number;
  readonly #pause: number;
  readonly #now: () => number;
  readonly #known = new LruCache<Hex, Appearance>(MAX_KEPT);
  readonly #codes = new LruCache<string, Bytes>(MAX_KEPT);
  readonly #missed = new LruCache<Hex, number>(MAX_KEPT);
  readonly #searches = new Map<Hex, Promise<Creation | undefined>>();

  constructor(
    readThrough: ReadThrough,
    store: StoreReader,
    { timeout = 5000, pause = 60_000, now = () => performance.now() }: ContractCreatorsOptions = {},
  ) {
    this.#readThrough = readThrough;
    this.#store = store;
    this.#timeout = timeout;
    this.#pause = pause;
    this.#now = now;
  }

  /** Undefined for genesis contracts, and if the node does not answer in time. */
  async of(address: Bytes, span: Span): Promise<Creation | undefined> {
    const key = toHex(address);
    const known = this.#known.get(key);
    if (known !== undefined && (await this.#isIndexed(known))) return known.creation;
    if (this.#now() < (this.#missed.get(key) ?? 0)) return undefined;
    if (!this.#searches.has(key)) {
      if (this.#searches.size >= MAX_SEARCHES) return undefined;
      const search = this.#search(address, span).finally(() => this.#searches.delete(key));
      this.#searches.set(key, search);
    }
    return withTimeout(this.#searches.get(key)!, this.#timeout, () => undefined);
  }

  /** Undefined if the node does not trace, or not in time. */
  async codeIn(transaction: Bytes, address: Bytes): Promise<Bytes | undefined> {
    const key = `${toHex(transaction)} ${toHex(address)}`;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    try {
      const trace = this.#creationIn(transaction, toHex(address));
      const input = (await withTimeout(trace, this.#timeout, () => undefined))?.input;
      if (input !== undefined) this.#codes.set(key, input);
      return input;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }

  async #isIndexed({ number, hash }: Pick<Appearance, "number" | "hash">): Promise<boolean> {
    const block = await this.#store.read((session) => session.blocks.byNumber(number));
    return block !== undefined && equalBytes(block.header.hash, hash);
  }

  async #search(address: Bytes, span: Span): Promise<Creation | undefined> {
    const key = toHex(address);
    try {
      const height = await this.#heightOf(address, span);
      const appearance = height === undefined ? undefined : await this.#appearanceIn(height, key);
      if (appearance !== undefined) {
        this.#known.set(key, appearance);
        return appearance.creation;
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
    this.#missed.set(key, this.#now() + this.#pause);
    return undefined;
  }

  /** Undefined if the code predates the first indexed block. */
  async #heightOf(address: Bytes, { first, tip }: Span): Promise<number | undefined> {
    let [without, having] = [first - 1, tip.number];
    if (without >= 0 && (await this.#firstWithCode(address, [without])) === 0) return undefined;
    while (having - without > 1) {
      const heights = between(without, having);
      const found = await this.#firstWithCode(address, heights);
      if (found > 0) without = heights[found - 1]!;
      if (found < heights.length) having = heights[found]!;
    }
    return having;
  }

  /** Index of the first height with code, or the length if there is none. */
  async #firstWithCode(address: Bytes, heights: readonly number[]): Promise<number> {
    const codes = await this.#readThrough.codes(address, heights);
    const found = heights.findIndex((_, i) => new WireReader().bytes(codes[i], "code").length > 0);
    return found < 0 ? heights.length : found;
  }

  async #appearanceIn(number: number, address: Hex): Promise<Appearance | undefined> {
    const block = await this.#store.read((session) => session.blocks.byNumber(number));
    if (block === undefined) return undefined;
    const { hash } = block.header;
    if (number === 0) return { number, hash, creation: undefined };
    for (const transaction of await this.#suspects(block)) {
      const creation = await this.#creationIn(transaction, address);
      if (creation !== undefined) return { number, hash, creation: { ...creation, transaction } };
    }
    return undefined;
  }

  /** Creations use much gas, so candidates are sorted by gas used. Empty for a removed block. */
  async #suspects({ header, sums }: StoredBlock): Promise<readonly Bytes[]> {
    let heaviest: { readonly hash: Bytes; readonly gasUsed: number }[] = [];
    for (let from = 0; from < sums.transactions; from += TURN) {
      const mined = await this.#store.read(async ({ transactions }) =>
        transactions.at(await transactions.positionsInBlock(header.number, from, from + TURN)),
      );
      const succeeded = mined.filter(({ receipt }) => receipt.status !== 0);
      // Copies the hash, to release its row.
      for (const { transaction, receipt } of succeeded) {
        heaviest.push({ hash: transaction.hash.slice(), gasUsed: receipt.gasUsed });
      }
      heaviest = heaviest.sort((a, b) => b.gasUsed - a.gasUsed).slice(0, MAX_TRACED);
      await yieldToEventLoop();
    }
    return (await this.#isIndexed(header)) ? heaviest.map(({ hash }) => hash) : [];
  }

  /** Transactions with oversized traces are skipped. */
  async #creationIn(transaction: Bytes, address: Hex): Promise<Omit<Creation, "transaction"> | undefined> {
    try {
      return creationIn(await this.#readThrough.trace(transaction, "whole"), address);
    } catch (error) {
      if (error instanceof ChainError && error.code === "limit_exceeded") return undefined;
      throw error;
    }
  }
}

function between(low: number, high: number): number[] {
  const parts = Math.min(HEIGHTS + 1, high - low);
  return Array.from({ length: parts - 1 }, (_, i) => low + Math.round(((high - low) * (i + 1)) / parts));
}

/** Ignores failed calls and everything inside them. */
function creationIn(trace: unknown, address: Hex): Omit<Creation, "transaction"> | undefined {
  const open = [trace];
  let frames = 1;
  while (open.length > 0) {
    const { type, from, to, input, error, calls } = readObject(open.pop(), "trace");
    if (error !== undefined && error !== null) continue;
    const isCreation = type === "CREATE" || type === "CREATE2";
    if (isCreation && typeof to === "string" && to.toLowerCase() === address) {
      return { creator: new WireReader().address(from, "trace.from").slice(), input: readInput(input) };
    }
    if (calls === undefined) continue;
    const inner = readArray(calls, "trace.calls");
    frames += inner.length;
    if (frames > MAX_FRAMES) throw new ChainError("limit_exceeded", `a trace has over ${MAX_FRAMES} calls`);
    for (const call of inner) open.push(call);
  }
  return undefined;
}

function readInput(input: unknown): Bytes | undefined {
  const isLong = typeof input === "string" && input.length > 2 + 2 * MAX_INPUT_LENGTH;
  return isLong ? undefined : new WireReader().bytes(input, "trace.input").slice();
}
