import { hash, randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Recent } from "../chain/recent.ts";
import type { Store } from "../store/store.ts";
import type { Abis } from "./decode/abis.ts";
import { entityTag } from "./http.ts";

/**
 * What an answer follows from. Of the index: beside it from the chain's height and the known ABIs, and from nothing a node was
 * asked. Of the state: from what the node tells of the state after the newest indexed block, too, and nothing is missing in it.
 */
export type Basis = "index" | "state";

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

/** What answers follow from as it is now, each as something that never comes again. */
export interface Present {
  readonly height: () => number;
  readonly toldState: () => string;
  readonly abis?: Pick<Abis, "all"> | undefined;
}

interface Kept {
  readonly text: string;
  readonly etag: string;
  /** The state it follows from. */
  readonly state: string;
}

/** Characters of answers kept of late, and as many of those used before. */
const MOST_KEPT = 16 << 20;
const LONGEST_KEPT = 1 << 20;
const OVERHEAD = 4096;

/**
 * Keeps answers that follow from the index as they were sent, until what they follow from is another. Such an answer is tagged
 * by its URL and that state, so that whoever has it is told so before it is made.
 */
export class Answers {
  readonly #store: Pick<Store, "version">;
  readonly #present: Present;
  /** Versions and counts of changes begin anew with each run. */
  readonly #run = randomUUID();
  #signatures: Abis["all"] | undefined;
  #imports = 0;
  #state = "";
  #kept = nothingKept();

  constructor(store: Pick<Store, "version">, present: Present) {
    this.#store = store;
    this.#present = present;
  }

  async give({ url, headers }: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const states = await this.#states();
    const had = headers["if-none-match"];
    const same = had && Object.values(states).find((state) => had.includes(this.#tag(state, url)));
    if (same) return reply.header("etag", this.#tag(same, url)).code(304).send();
    const kept = this.#find(states, url);
    if (kept !== undefined) return send(kept, reply);
    const answer = await make();
    const basis = basisOf(answer);
    return basis === undefined ? answer : send(await this.#keep(url, states, basis, answer), reply);
  }

  async #keep(url: string, states: States, basis: Basis, answer: object): Promise<Kept> {
    const text = JSON.stringify(answer);
    const state = states[basis];
    // Where it is the same before and after, it was the same between.
    if (state !== (await this.#states())[basis]) return { text, etag: entityTag(text), state };
    const kept = { text, etag: this.#tag(state, url), state };
    if (states.index === this.#state && text.length <= LONGEST_KEPT) this.#kept.set(url, kept);
    return kept;
  }

  async #states(): Promise<States> {
    const { height, toldState } = this.#present;
    const index = `${await this.#store.version()} ${height()} ${this.#countImports()}`;
    return { index, state: `${index} ${toldState()}` };
  }

  /** After an import the signatures are another object. */
  #countImports(): number {
    const { abis } = this.#present;
    if (this.#signatures !== abis?.all) this.#imports++;
    this.#signatures = abis?.all;
    return this.#imports;
  }

  #find(states: States, url: string): Kept | undefined {
    if (this.#state !== states.index) this.#kept = nothingKept();
    this.#state = states.index;
    const kept = this.#kept.get(url);
    return kept?.state === states.index || kept?.state === states.state ? kept : undefined;
  }

  #tag(state: string, url: string): string {
    return `"${hash("sha1", `${this.#run} ${state} ${url}`, "base64url")}"`;
  }
}

type States = Readonly<Record<Basis, string>>;

/** An answer takes more than its text: its URL, which is no longer than the server allows, its tag and its state. */
function nothingKept(): Recent<string, Kept> {
  return new Recent(MOST_KEPT, ({ text }) => text.length + OVERHEAD);
}

function send({ text, etag }: Kept, reply: FastifyReply): string {
  reply.headers({ "content-type": "application/json; charset=utf-8", etag });
  return text;
}
