import type { Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { readNumber, readObject } from "../chain/encoding/wire.ts";
import { ChainError } from "../chain/error.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../chain/finality.ts";
import type { Head } from "../chain/source.ts";
import { defined } from "../std/defined.ts";
import { readHash } from "./blocks.ts";
import type { Client, Question } from "./client.ts";
import type { UpstreamError } from "./failure.ts";
import { isMissing, isOverload } from "./failure.ts";
import { Settled } from "./finality.ts";
import type { Operation } from "./retry.ts";

/** How often a node is asked at most how far its chain is settled. */
export const SETTLED_MILLISECONDS = 12_000;

export interface HeadReaderOptions {
  readonly isAuthoritative: boolean;
  readonly settledMilliseconds: number;
}

/**
 * Reads the newest block, and with it how far the chain is settled: that with the first head, and then only when the
 * head is another and some time has passed. A head that stands still costs one call. Its number alone would be a smaller
 * one, but another block at the same height shows in the hash.
 */
export class HeadReader {
  readonly #client: Client;
  readonly #options: HeadReaderOptions;
  readonly #safe = new Settled(SAFE_DEPTH);
  readonly #finalized = new Settled(FINALIZED_DEPTH);
  readonly #unknownTags = new Set<string>();
  #last = 0;
  /** When it was asked how far the chain is settled, and at which head. */
  #settled: { readonly at: number; readonly head: Hash } | undefined;

  constructor(client: Client, options: HeadReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  async read(operation: Operation): Promise<Head> {
    const isFirst = this.#settled === undefined;
    const together = isFirst ? this.#tags : [];
    const [newest, ...answers] = await this.#ask(["latest", ...together], operation);
    const latest = defined(newest);
    const number = readNumber(latest.number, "block.number");
    const hash = readHash(latest.hash);
    if (this.#options.isAuthoritative && number < this.#last) this.#restart();
    this.#last = number;
    const tags = isFirst ? together : this.#isDue(hash) ? this.#tags : [];
    const blocks = isFirst || tags.length === 0 ? answers : await this.#ask(tags, operation);
    if (isFirst || tags.length > 0) this.#settled = { at: performance.now(), head: hash };
    const heightOf = (tag: string) => {
      const wire = blocks[tags.indexOf(tag)];
      return wire && readNumber(wire.number, "block.number");
    };
    const finalized = this.#finalized.at(number, heightOf("finalized"));
    const safe = Math.max(finalized, this.#safe.at(number, heightOf("safe")));
    return { number, hash, timestamp: readNumber(latest.timestamp, "timestamp"), safe, finalized };
  }

  get #tags(): string[] {
    return ["safe", "finalized"].filter((tag) => !this.#unknownTags.has(tag));
  }

  #isDue(head: Hash): boolean {
    if (this.#settled === undefined) return true;
    const { at, head: before } = this.#settled;
    return !equalBytes(head, before) && performance.now() - at >= this.#options.settledMilliseconds;
  }

  #restart(): void {
    this.#safe.restart();
    this.#finalized.restart();
    this.#settled = undefined;
  }

  #ask(tags: readonly string[], operation: Operation): Promise<(Wire | undefined)[]> {
    const questions = tags.map((tag) => this.#question(tag));
    return this.#client.ask(questions, operation);
  }

  #question(tag: string): Question<Wire | undefined> {
    const call = { method: "eth_getBlockByNumber", params: [tag, false] };
    if (tag === "latest") return { ...call, read: readLatest };
    return {
      ...call,
      read: (result) => (result === null ? undefined : readObject(result, `${tag} block`)),
      recover: (error) => this.#withoutTag(tag, error),
    };
  }

  /** A block that is missing may come as the chain grows; any other refusal means that the tag is not known. */
  #withoutTag(tag: string, error: UpstreamError): undefined {
    if (error.rpc === undefined || error.shrink !== undefined || isOverload(error.rpc)) throw error;
    if (!isMissing(error.rpc)) this.#unknownTags.add(tag);
  }
}

function readLatest(result: unknown): Wire {
  if (result === null) throw new ChainError("upstream_unavailable", "the node has no latest block yet");
  return readObject(result, "latest block");
}
