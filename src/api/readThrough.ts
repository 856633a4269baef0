import { hash } from "node:crypto";
import type { Block } from "../chain/block.ts";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { toHex } from "../chain/hex.ts";
import type { CallOutcome, ContractCall, Head, Source } from "../chain/source.ts";
import type { HeadWatch } from "./headWatch.ts";

export interface ReadThroughOptions {
  /** Calls to the node at one time. */
  readonly most?: number;
  readonly deadline?: number;
}

export type SourceTransaction = NonNullable<Awaited<ReturnType<Source["transaction"]>>>;

/** The head is up to a second old: a block this little above it may be there by now. */
const HEAD_SLACK = 16;

/** Asks the node for what the index does not hold, once for all who ask the same, and for few at a time. */
export class ReadThrough {
  readonly #source: Source;
  readonly #head: HeadWatch;
  readonly #most: number;
  readonly #deadline: number;
  readonly #flights = new Map<string, Promise<unknown>>();

  constructor(source: Source, head: HeadWatch, options: ReadThroughOptions = {}) {
    this.#source = source;
    this.#head = head;
    this.#most = options.most ?? 16;
    this.#deadline = options.deadline ?? 5000;
  }

  async block(id: number | Bytes): Promise<Block | undefined> {
    if (typeof id === "number" && (await this.#isFarAbove(id))) return undefined;
    const name = typeof id === "number" ? String(id) : toHex(id);
    const block = await this.#share(`block ${name}`, () => this.#source.block(id));
    if (block !== undefined && !isBlock(block, id)) {
      throw new ChainError("upstream_invalid", `asked for block ${name}, the node sent another`);
    }
    return block;
  }

  async transaction(id: Bytes): Promise<SourceTransaction | undefined> {
    const found = await this.#share(`transaction ${toHex(id)}`, () => this.#source.transaction(id));
    if (found !== undefined && !equalBytes(found.transaction.hash, id)) {
      throw new ChainError("upstream_invalid", `asked for transaction ${toHex(id)}, the node sent another`);
    }
    return found;
  }

  /** Calls contracts as the chain stood after one block. */
  calls(calls: readonly ContractCall[], at: Pick<Head, "number" | "hash">): Promise<CallOutcome[]> {
    const asked = hash("sha1", Buffer.concat(calls.flatMap(({ to, data }) => [to, data])));
    return this.#share(`calls ${toHex(at.hash)} ${asked}`, () => this.#source.call(calls, at));
  }

  async #isFarAbove(number: number): Promise<boolean> {
    const head = await this.#head.current();
    return head !== null && number > head.number + HEAD_SLACK;
  }

  #share<T>(key: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#flights.get(key);
    if (known !== undefined) return known as Promise<T>;
    if (this.#flights.size >= this.#most) {
      return Promise.reject(new ChainError("upstream_unavailable", "too many questions to the node at one time"));
    }
    const flight = this.#inTime(ask).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  async #inTime<T>(ask: () => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const error = new ChainError("upstream_unavailable", "the node did not answer in time");
    const timer = setTimeout(() => late.reject(error), this.#deadline);
    try {
      return await Promise.race([ask(), late.promise]);
    } catch (cause) {
      if (cause instanceof ChainError) throw cause;
      throw new ChainError("upstream_unavailable", "the node failed", { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

function isBlock({ header }: Block, id: number | Bytes): boolean {
  return typeof id === "number" ? header.number === id : equalBytes(header.hash, id);
}
