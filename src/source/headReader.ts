import { decodeHeader, headerHash } from "../chain/block/header.ts";
import type { Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { readNumber, readObject, WireReader } from "../chain/encoding/wire.ts";
import { ChainError } from "../chain/error.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../chain/finality.ts";
import type { Head } from "../chain/source.ts";
import { defined } from "../std/values.ts";
import { readHash } from "./blockAnswer.ts";
import type { Client, Question } from "./client.ts";
import type { UpstreamError } from "./failure.ts";
import { isMissing, isOverload } from "./failure.ts";
import { Settled } from "./finality.ts";
import type { Operation } from "./retry.ts";

/** Minimum interval between queries for safe and finalized blocks. */
export const SETTLED_MILLISECONDS = 12_000;

export interface NewestBlock {
  readonly head: Head;
  readonly parentHash: Hash | undefined;
  /** Whether the hash matches the header, if it can be decoded. */
  readonly isHashed: boolean;
}

interface HeadReaderOptions {
  readonly isAuthoritative: boolean;
  readonly settledMilliseconds: number;
}

/**
 * Reads the newest block. Safe and finalized blocks are queried at most once per interval and head, so an idle chain
 * costs one call. Reads the block rather than its number to detect a replaced head.
 */
export class HeadReader {
  readonly #client: Client;
  readonly #options: HeadReaderOptions;
  readonly #safe = new Settled(SAFE_DEPTH);
  readonly #finalized = new Settled(FINALIZED_DEPTH);
  readonly #unknownTags = new Set<string>();
  #last = 0;
  /** Time and head of the last query for safe and finalized blocks. */
  #settled: { readonly at: number; readonly head: Hash } | undefined;

  constructor(client: Client, options: HeadReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  async read(operation: Operation): Promise<NewestBlock> {
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
    const timestamp = readNumber(latest.timestamp, "timestamp");
    return { head: { number, hash, timestamp, safe, finalized }, ...readLink(latest) };
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

  /** "Missing" may be temporary; any other error means that the tag is unsupported. */
  #withoutTag(tag: string, error: UpstreamError): undefined {
    if (error.rpc === undefined || error.shrink !== undefined || isOverload(error.rpc)) throw error;
    if (!isMissing(error.rpc)) this.#unknownTags.add(tag);
  }
}

function readLatest(result: unknown): Wire {
  if (result === null) throw new ChainError("upstream_unavailable", "the node has no latest block yet");
  return readObject(result, "latest block");
}

/** Undecodable headers are not judged. */
function readLink(wire: Wire): Omit<NewestBlock, "head"> {
  try {
    const header = decodeHeader(wire, new WireReader());
    return { parentHash: header.parentHash.slice(), isHashed: equalBytes(headerHash(header), header.hash) };
  } catch {
    return { parentHash: undefined, isHashed: false };
  }
}
