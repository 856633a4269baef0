import { hash, randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Abis } from "../../query/decode/abis.ts";
import { Recent } from "../../std/recent.ts";
import type { Store } from "../../store/store.ts";
import { entityTag, names } from "./httpRules.ts";
import { stringify } from "./stringify.ts";

/**
 * What an answer follows from: the index, the height that the chain is known to have, and the known ABIs; or beside them what
 * the node told of the state after the newest indexed block, with nothing of it missing.
 */
export type Basis = "index" | "told";

const bases = new WeakMap<object, Basis>();

/** Says what an answer follows from; undefined where it is more, or something is missing in it. */
export function withBasis<T extends object>(basis: Basis | undefined, answer: T): T {
  if (basis !== undefined) bases.set(answer, basis);
  return answer;
}

export function fromIndex<T extends object>(answer: T): T {
  return withBasis("index", answer);
}

export function basisOf(answer: object): Basis | undefined {
  return bases.get(answer);
}

/** What answers follow from, beside the store: each of them is another where it has changed, and never what it was before. */
export interface Changing {
  /** How often the known height was another. */
  readonly heights: () => number;
  /** In one epoch a node tells the same of a state. */
  readonly epoch: () => string;
  readonly abis?: Pick<Abis, "all"> | undefined;
}

/** What answers follow from as it is at some moment, by their basis. */
type Moment = Readonly<Record<Basis, string>>;

interface Kept {
  readonly text: string;
  readonly etag: string;
  /** What it follows from. */
  readonly from: string;
}

/** Characters of answers kept of late, and as many of those used before. */
const MOST_KEPT = 16 << 20;
const LONGEST_KEPT = 1 << 20;
const OVERHEAD = 1024;

/** Characters of URLs that were asked for of late, and as many of those before. */
const MOST_ASKED = 1 << 20;

/**
 * Keeps answers that are asked for again as they were sent, until what they follow from is another: who reads every page once
 * pushes out nothing. They are tagged by that and their URL, so that whoever has one is told so before it is made.
 */
export class Answers {
  readonly #store: Pick<Store, "version">;
  readonly #around: Changing;
  /** Versions and counts of changes begin anew with each run. */
  readonly #run = randomUUID();
  #signatures: Abis["all"] | undefined;
  #imports = 0;
  /** Of which state of the index all are that are kept. */
  #index = "";
  #kept = nothingKept();
  readonly #asked = new Recent<string, true>(MOST_ASKED, (_, { length }) => length);

  constructor(store: Pick<Store, "version">, around: Changing) {
    this.#store = store;
    this.#around = around;
  }

  async give({ url, headers }: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const moment = await this.#now();
    const had = headers["if-none-match"];
    const same = had && Object.values(moment).find((from) => names(had, this.#tag(from, url)));
    if (same) return reply.header("etag", this.#tag(same, url)).code(304).send();
    const kept = this.#find(moment, url);
    if (kept !== undefined) return send(kept, reply);
    const answer = await make();
    const basis = basisOf(answer);
    if (basis !== undefined) return send(await this.#keep(url, moment, basis, answer), reply);
    reply.header("content-type", JSON_TYPE);
    return stringify(answer);
  }

  async #keep(url: string, moment: Moment, basis: Basis, answer: object): Promise<Kept> {
    const text = await stringify(answer);
    const from = moment[basis];
    // Where it is the same before and after, it was the same between.
    if (from !== (await this.#now())[basis]) return { text, etag: entityTag(text), from };
    const kept = { text, etag: this.#tag(from, url), from };
    if (this.#asked.get(url) && moment.index === this.#index && text.length <= LONGEST_KEPT) this.#kept.set(url, kept);
    this.#asked.set(url, true);
    return kept;
  }

  async #now(): Promise<Moment> {
    const { heights, epoch } = this.#around;
    const index = `${await this.#store.version()} ${heights()} ${this.#countImports()}`;
    return { index, told: `${index} ${epoch()}` };
  }

  /** After an import the signatures are another object. */
  #countImports(): number {
    const { abis } = this.#around;
    if (this.#signatures !== abis?.all) this.#imports++;
    this.#signatures = abis?.all;
    return this.#imports;
  }

  #find(moment: Moment, url: string): Kept | undefined {
    if (this.#index !== moment.index) this.#kept = nothingKept();
    this.#index = moment.index;
    const kept = this.#kept.get(url);
    return kept?.from === moment.index || kept?.from === moment.told ? kept : undefined;
  }

  #tag(from: string, url: string): string {
    return `"${hash("sha1", `${this.#run} ${from} ${url}`, "base64url")}"`;
  }
}

/** An answer takes more than its text and its URL: its tag, and what it follows from. */
function nothingKept(): Recent<string, Kept> {
  return new Recent(MOST_KEPT, ({ text }, url) => text.length + url.length + OVERHEAD);
}

const JSON_TYPE = "application/json; charset=utf-8";

function send({ text, etag }: Kept, reply: FastifyReply): string {
  reply.headers({ "content-type": JSON_TYPE, etag });
  return text;
}
