import type { FastifyReply } from "fastify";
import { Recent } from "../chain/recent.ts";
import type { Store } from "../store/store.ts";
import type { Abis } from "./decode/abis.ts";
import { entityTag } from "./http.ts";

const indexed = new WeakSet<object>();

/** Marks an answer that follows from the index, the chain's height and the known ABIs alone, and from nothing a node was asked. */
export function fromIndex<T extends object>(answer: T): T {
  indexed.add(answer);
  return answer;
}

export function isFromIndex(answer: object): boolean {
  return indexed.has(answer);
}

interface Kept {
  readonly text: string;
  readonly etag: string;
}

/** Characters of answers kept of late, and as many of those used before. */
const MOST_KEPT = 16 << 20;
const LONGEST_KEPT = 1 << 20;
const OVERHEAD = 4096;

/** Keeps answers that follow from the index as they were sent, until the index, the height or an ABI is another. */
export class Answers {
  readonly #store: Pick<Store, "version">;
  readonly #heights: () => number;
  readonly #abis: Pick<Abis, "all"> | undefined;
  #signatures: Abis["all"] | undefined;
  #imports = 0;
  #state = "";
  #kept = nothingKept();

  constructor(store: Pick<Store, "version">, heights: () => number, abis?: Pick<Abis, "all">) {
    this.#store = store;
    this.#heights = heights;
    this.#abis = abis;
  }

  async give(url: string, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const state = await this.#present();
    const known = this.#find(state, url);
    if (known !== undefined) return send(known, reply);
    const answer = await make();
    if (!isFromIndex(answer)) return answer;
    const text = JSON.stringify(answer);
    const made = { text, etag: entityTag(text) };
    if (state === (await this.#present()) && state === this.#state) this.#keep(url, made);
    return send(made, reply);
  }

  /** Where it is the same before and after, it was the same between: versions and counts of changes never come again. */
  async #present(): Promise<string> {
    return `${await this.#store.version()} ${this.#heights()} ${this.#countImports()}`;
  }

  /** After an import the signatures are another object. */
  #countImports(): number {
    if (this.#signatures !== this.#abis?.all) this.#imports++;
    this.#signatures = this.#abis?.all;
    return this.#imports;
  }

  #find(state: string, url: string): Kept | undefined {
    if (this.#state !== state) this.#kept = nothingKept();
    this.#state = state;
    return this.#kept.get(url);
  }

  #keep(url: string, kept: Kept): void {
    if (kept.text.length <= LONGEST_KEPT) this.#kept.set(url, kept);
  }
}

/** An answer takes more than its text: its URL, which is no longer than the server allows, and its tag. */
function nothingKept(): Recent<string, Kept> {
  return new Recent(MOST_KEPT, ({ text }) => text.length + OVERHEAD);
}

function send({ text, etag }: Kept, reply: FastifyReply): string {
  reply.headers({ "content-type": "application/json; charset=utf-8", etag });
  return text;
}
