import { hash, randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
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

/** Characters of answers kept of late, and as many of those used before. */
const MOST_KEPT = 16 << 20;
const LONGEST_KEPT = 1 << 20;
const OVERHEAD = 4096;

/**
 * Keeps answers that follow from the index as they were sent, until the index, the height or an ABI is another. Such an answer
 * is tagged by its URL and what it follows from, so that whoever has it is told so before it is made.
 */
export class Answers {
  /** Versions and counts of changes begin anew with each run. */
  readonly #run = randomUUID();
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

  async give({ url, headers }: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const state = await this.#present();
    const etag = this.#tag(state, url);
    if (headers["if-none-match"]?.includes(etag)) return reply.header("etag", etag).code(304).send();
    const known = this.#find(state, url);
    if (known !== undefined) return send(known, etag, reply);
    const answer = await make();
    if (!isFromIndex(answer)) return answer;
    const text = JSON.stringify(answer);
    if (state !== (await this.#present())) return send(text, entityTag(text), reply);
    if (state === this.#state) this.#keep(url, text);
    return send(text, etag, reply);
  }

  #tag(state: string, url: string): string {
    return `"${hash("sha1", `${this.#run} ${state} ${url}`, "base64url")}"`;
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

  #find(state: string, url: string): string | undefined {
    if (this.#state !== state) this.#kept = nothingKept();
    this.#state = state;
    return this.#kept.get(url);
  }

  #keep(url: string, text: string): void {
    if (text.length <= LONGEST_KEPT) this.#kept.set(url, text);
  }
}

/** An answer takes more than its text: its URL, which is no longer than the server allows. */
function nothingKept(): Recent<string, string> {
  return new Recent(MOST_KEPT, (text) => text.length + OVERHEAD);
}

function send(text: string, etag: string, reply: FastifyReply): string {
  reply.headers({ "content-type": "application/json; charset=utf-8", etag });
  return text;
}
