import { setImmediate as others } from "node:timers/promises";
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

/** How a contract came to be. */
export interface Creation {
  readonly creator: Bytes;
  /** The hash of the transaction in which it was made. */
  readonly transaction: Bytes;
  /** The code that made it; undefined where it is longer than any that can run. */
  readonly input: Bytes | undefined;
}

/** The blocks between which to search. */
interface Span {
  readonly first: number;
  readonly tip: { readonly number: number };
}

/** The block in which a contract appeared, and who made it there: nobody in the genesis block. */
interface Appearance {
  readonly number: number;
  readonly hash: Bytes;
  readonly creation: Creation | undefined;
}

export interface ContractCreatorsOptions {
  /** Milliseconds that a request waits; the search goes on after that. */
  readonly patience?: number;
  /** Milliseconds after which a search that found nothing is made again. */
  readonly pause?: number;
}

/** Heights of one batch: each makes what is left to search a sixteenth. */
const HEIGHTS = 15;
const MAX_SEARCHES = 4;
/** Transactions of one block that are traced. */
export const MAX_TRACED = 64;
/** Calls of one transaction that are looked at. */
export const MAX_FRAMES = 20_000;
/** Transactions of a block that are read before others have their turn. */
const TURN = 500;
const MAX_INPUT_LENGTH = 128 << 10;
const MAX_KEPT = 200;

/**
 * Finds who made a contract that no transaction deployed itself: first the block in which its code appeared, then the call in it
 * that created it. Kept as long as the index contains that block.
 */
export class ContractCreators {
  readonly #readThrough: ReadThrough;
  readonly #store: StoreReader;
  readonly #patience: number;
  readonly #pause: number;
  readonly #known = new LruCache<Hex, Appearance>(MAX_KEPT);
  readonly #codes = new LruCache<string, Bytes>(MAX_KEPT);
  readonly #missed = new LruCache<Hex, number>(MAX_KEPT);
  readonly #searches = new Map<Hex, Promise<Creation | undefined>>();

  constructor(
    readThrough: ReadThrough,
    store: StoreReader,
    { patience = 5000, pause = 60_000 }: ContractCreatorsOptions = {},
  ) {
    this.#readThrough = readThrough;
    this.#store = store;
    this.#patience = patience;
    this.#pause = pause;
  }

  /** Undefined if it is of the genesis block, and if the node does not answer, or not in time. */
  async of(address: Bytes, span: Span): Promise<Creation | undefined> {
    const key = toHex(address);
    const known = this.#known.get(key);
    if (known !== undefined && (await this.#isIndexed(known))) return known.creation;
    if (performance.now() < (this.#missed.get(key) ?? 0)) return undefined;
    if (!this.#searches.has(key)) {
      if (this.#searches.size >= MAX_SEARCHES) return undefined;
      const search = this.#search(address, span).finally(() => this.#searches.delete(key));
      this.#searches.set(key, search);
    }
    return withTimeout(this.#searches.get(key)!, this.#patience, () => undefined);
  }

  /** The code that made a contract in a transaction; undefined if the node does not trace it, or not in time. */
  async codeIn(transaction: Bytes, address: Bytes): Promise<Bytes | undefined> {
    const key = `${toHex(transaction)} ${toHex(address)}`;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    try {
      const trace = this.#creationIn(transaction, toHex(address));
      const input = (await withTimeout(trace, this.#patience, () => undefined))?.input;
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
      const appearance = height === undefined ? undefined : await this.#lookInto(height, key);
      if (appearance !== undefined) {
        this.#known.set(key, appearance);
        return appearance.creation;
      }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
    }
    this.#missed.set(key, performance.now() + this.#pause);
    return undefined;
  }

  /** The block in which code appeared; undefined where it was there before the first indexed one. */
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

  /** The place of the first of these heights at which there is code, or their number where there is none. */
  async #firstWithCode(address: Bytes, heights: readonly number[]): Promise<number> {
    const codes = await this.#readThrough.codes(address, heights);
    const found = heights.findIndex((_, i) => new WireReader().bytes(codes[i], "code").length > 0);
    return found < 0 ? heights.length : found;
  }

  async #lookInto(number: number, address: Hex): Promise<Appearance | undefined> {
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

  /** What creates a contract uses more gas than most, so those that used much come first. None where the block was given up. */
  async #suspects({ header, sums }: StoredBlock): Promise<readonly Bytes[]> {
    let most: { readonly hash: Bytes; readonly gasUsed: number }[] = [];
    for (let from = 0; from < sums.transactions; from += TURN) {
      const mined = await this.#store.read(async ({ transactions }) =>
        transactions.at(await transactions.positionsInBlock(header.number, from, from + TURN)),
      );
      const succeeded = mined.filter(({ receipt }) => receipt.status !== 0);
      // A hash is a part of its row, which is not kept.
      for (const { transaction, receipt } of succeeded) {
        most.push({ hash: transaction.hash.slice(), gasUsed: receipt.gasUsed });
      }
      most = most.sort((a, b) => b.gasUsed - a.gasUsed).slice(0, MAX_TRACED);
      await others();
    }
    return (await this.#isIndexed(header)) ? most.map(({ hash }) => hash) : [];
  }

  /** A transaction that calls so much that its trace is too long to read is passed over. */
  async #creationIn(transaction: Bytes, address: Hex): Promise<Omit<Creation, "transaction"> | undefined> {
    try {
      return creationIn(await this.#readThrough.trace(transaction, "whole"), address);
    } catch (error) {
      if (error instanceof ChainError && error.code === "limit_exceeded") return undefined;
      throw error;
    }
  }
}

/** Heights that part the blocks between two others evenly. */
function between(low: number, high: number): number[] {
  const parts = Math.min(HEIGHTS + 1, high - low);
  return Array.from({ length: parts - 1 }, (_, i) => low + Math.round(((high - low) * (i + 1)) / parts));
}

/** The call that made a contract. What a call that failed had made was taken back, with all that was called in it. */
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
