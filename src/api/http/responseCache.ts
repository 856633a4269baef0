import { hash, randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CacheScope } from "../../query/cacheScope.ts";
import type { Abis } from "../../query/decode/abis.ts";
import { LruCache } from "../../std/lruCache.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import { JSON_TYPE } from "./failure.ts";
import { entityTag, names } from "./httpRules.ts";
import { costOf } from "./rateLimit.ts";
import { RequestQueue } from "./requestQueue.ts";
import type { Json } from "./stringify.ts";
import { stringify } from "./stringify.ts";

/** A property rather than an entry of a WeakMap, which keeps all that a response is made of until the next full collection. */
const SCOPE = Symbol("cache scope");

/** Says how long a response may be kept; undefined where it may not be. */
export function cacheable<T extends object>(scope: CacheScope | undefined, response: T): T {
  if (scope === undefined) return response;
  return Object.defineProperty(response, SCOPE, { value: scope, configurable: true });
}

export function cacheScopeOf(response: object): CacheScope | undefined {
  return (response as { readonly [SCOPE]?: CacheScope })[SCOPE];
}

/** A response that is text already, or the bytes of one. */
export class TextResponse {
  readonly text: Json;
  /** Its media type. */
  readonly type: string;

  constructor(text: Json, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** What responses follow from, beside the store. After a change each of these has a value that it never had before. */
export interface CacheInputs {
  /** How often the known height was another. */
  readonly heights: () => number;
  /** In one epoch a node says the same of a state. */
  readonly epoch: () => string;
  readonly abis?: Pick<Abis, "all"> | undefined;
  /** The newest block that index and node share, where the node is on another branch. */
  readonly forkedAt?: () => Promise<number | undefined>;
  /** How often the metadata that lists show were others. */
  readonly metadata?: () => number;
}

/** What a response of each scope follows from, as it is now. */
type CacheKey = Readonly<Record<CacheScope, string>>;

interface CachedResponse {
  readonly body: Json;
  readonly type: string;
  readonly etag: string;
  /** What it follows from. */
  readonly key: string;
}

/** Says that the node has left the branch of the index, and after which block. */
export const FORK_HEADER = "oriel-index-fork";

/** Characters of responses kept of late, and as many of those used before. */
const MAX_KEPT = 16 << 20;
const MAX_KEPT_LENGTH = 1 << 20;
const OVERHEAD = 1024;

/** Characters of URLs that were asked for of late, and as many of those before. */
const MAX_ASKED = 1 << 20;

/**
 * Keeps the text of responses that are asked for a second time until what they follow from changes: a client that reads
 * every page once displaces nothing. The ETag is made from the same inputs and the URL, so that a request with a
 * matching one gets 304 before the response is built.
 */
export class ResponseCache {
  readonly #store: Pick<StoreReader, "version">;
  readonly #inputs: CacheInputs;
  /** Versions and counts of changes begin anew with each run. */
  readonly #run = randomUUID();
  readonly #queue: RequestQueue;
  #signatures: Abis["all"] | undefined;
  #imports = 0;
  /** The state of the index that all kept responses are of. */
  #index = "";
  #fork: { readonly index: string; readonly at: number | undefined } | undefined;
  #kept = emptyCache();
  readonly #asked = new LruCache<string, true>(MAX_ASKED, (_, { length }) => length);

  constructor(store: Pick<StoreReader, "version">, inputs: CacheInputs, queue = new RequestQueue()) {
    this.#store = store;
    this.#inputs = inputs;
    this.#queue = queue;
  }

  async serve(request: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const { url, headers } = request;
    const now = await this.#now();
    await this.#sayFork(now.index, reply);
    const had = headers["if-none-match"];
    const same = had && Object.values(now).find((key) => names(had, this.#tag(key, url)));
    if (same) return reply.header("etag", this.#tag(same, url)).code(304).send();
    const kept = this.#find(now, url);
    if (kept !== undefined) return send(kept, reply);
    return this.#queue.run(costOf(request), async () => {
      const response = await make();
      const scope = cacheScopeOf(response);
      if (scope !== undefined) return send(await this.#keep(url, now, scope, response), reply);
      return sendOnce(response, reply);
    });
  }

  /** Serves what is never kept, when its turn comes. */
  async serveOnce(request: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    await this.#sayFork((await this.#now()).index, reply);
    return this.#queue.run(costOf(request), async () => sendOnce(await make(), reply));
  }

  /** Whether a response to a URL is kept, as far as can be told without looking at the store. */
  has(url: string): boolean {
    return this.#kept.get(url) !== undefined;
  }

  async #keep(url: string, before: CacheKey, scope: CacheScope, response: object): Promise<CachedResponse> {
    const [body, type] = [await bodyOf(response), typeOf(response)];
    const key = before[scope];
    // Where it is the same before and after, it was the same between.
    if (key !== (await this.#now())[scope]) return { body, type, etag: entityTag(body), key };
    const made = { body, type, etag: this.#tag(key, url), key };
    const isKept = this.#asked.get(url) && before.index === this.#index && body.length <= MAX_KEPT_LENGTH;
    if (isKept) this.#kept.set(url, { ...made, body: exactly(body) });
    this.#asked.set(url, true);
    return made;
  }

  async #now(): Promise<CacheKey> {
    const { heights, epoch, metadata = () => 0 } = this.#inputs;
    const index = `${await this.#store.version()} ${heights()} ${this.#countImports()} ${metadata()}`;
    return { index, state: `${index} ${epoch()}` };
  }

  async #sayFork(index: string, reply: FastifyReply): Promise<void> {
    if (this.#fork?.index !== index) this.#fork = { index, at: await this.#inputs.forkedAt?.() };
    if (this.#fork.at !== undefined) reply.header(FORK_HEADER, this.#fork.at);
  }

  /** After an import the signatures are another object. */
  #countImports(): number {
    const { abis } = this.#inputs;
    if (this.#signatures !== abis?.all) this.#imports++;
    this.#signatures = abis?.all;
    return this.#imports;
  }

  #find(now: CacheKey, url: string): CachedResponse | undefined {
    if (this.#index !== now.index) this.#kept = emptyCache();
    this.#index = now.index;
    const kept = this.#kept.get(url);
    return kept?.key === now.index || kept?.key === now.state ? kept : undefined;
  }

  #tag(key: string, url: string): string {
    return `"${hash("sha1", `${this.#run} ${key} ${url}`, "base64url")}"`;
  }
}

/** A response takes more than its text and its URL: its tag, and what it follows from. */
function emptyCache(): LruCache<string, CachedResponse> {
  return new LruCache(MAX_KEPT, ({ body }, url) => body.length + url.length + OVERHEAD);
}

/** Bytes in no more memory than they take. */
function exactly(body: Json): Json {
  return typeof body === "string" ? body : Buffer.from(body);
}

async function bodyOf(response: object): Promise<Json> {
  return response instanceof TextResponse ? response.text : stringify(response);
}

function typeOf(response: object): string {
  return response instanceof TextResponse ? response.type : JSON_TYPE;
}

/** Sends what is not kept. */
export function sendOnce(response: object, reply: FastifyReply): Promise<Json> {
  reply.header("content-type", typeOf(response));
  return bodyOf(response);
}

function send({ body, type, etag }: CachedResponse, reply: FastifyReply): Json {
  reply.headers({ "content-type": type, etag });
  return body;
}
