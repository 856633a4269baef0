import { hash, randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CacheScope } from "../../query/cacheScope.ts";
import type { Abis } from "../../query/decode/abis.ts";
import { LruCache } from "../../std/maps.ts";
import type { StoreReader } from "../../store/storeReader.ts";
import { JSON_TYPE } from "./failure.ts";
import { entityTag, names } from "./httpRules.ts";
import { costOf } from "./rateLimit.ts";
import { RequestQueue } from "./requestQueue.ts";
import type { Json } from "./stringify.ts";
import { stringify } from "./stringify.ts";

/** A property, because a WeakMap entry would retain the response's inputs until the next full collection. */
const SCOPE = Symbol("cache scope");

/** Marks how long a response may be cached; undefined if it may not. */
export function cacheable<T extends object>(scope: CacheScope | undefined, response: T): T {
  if (scope === undefined) return response;
  return Object.defineProperty(response, SCOPE, { value: scope, configurable: true });
}

export function cacheScopeOf(response: object): CacheScope | undefined {
  return (response as { readonly [SCOPE]?: CacheScope })[SCOPE];
}

/** A response that is already text or bytes. */
export class TextResponse {
  readonly text: Json;
  /** Media type. */
  readonly type: string;

  constructor(text: Json, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** Inputs of responses besides the store. Each value is unique per state. */
interface CacheInputs {
  /** Number of changes of the known height. */
  readonly heights: () => number;
  /** Within an epoch, a node's answers about a state are stable. */
  readonly epoch: () => string;
  readonly abis?: Pick<Abis, "all"> | undefined;
  /** Newest block shared by index and node while they are on different branches. */
  readonly forkedAt?: () => Promise<number | undefined>;
  /** Number of changes of the metadata in lists. */
  readonly metadata?: () => number;
  /** Number of changes of names of addresses. */
  readonly names?: () => number;
}

/** Current cache key per scope. */
type CacheKey = Readonly<Record<CacheScope, string>>;

/** Fork point of the node's branch, by state of the index. */
interface ForkedAt {
  readonly index: string;
  readonly at: number | undefined;
}

interface CachedResponse {
  readonly body: Json;
  readonly type: string;
  readonly etag: string;
  readonly key: string;
}

/** Announces that the node left the index's branch, and after which block. */
const FORK_HEADER = "oriel-index-fork";

/** Characters per cache generation. */
const MAX_KEPT = 16 << 20;
const MAX_KEPT_LENGTH = 1 << 20;
const OVERHEAD = 1024;

/** Characters of recently requested URLs, per generation. */
const MAX_ASKED = 1 << 20;

/**
 * Caches a response from its second request until its inputs change, so a client that reads every page once evicts
 * nothing. The ETag derives from the same inputs and the URL: a matching request gets 304 before the response is built.
 */
export class ResponseCache {
  readonly #store: Pick<StoreReader, "version">;
  readonly #inputs: CacheInputs;
  /** Versions restart with the process. */
  readonly #run = randomUUID();
  readonly #queue: RequestQueue;
  #signatures: Abis["all"] | undefined;
  #imports = 0;
  /** Index state of all cached responses. */
  #index = "";
  #fork: ForkedAt | undefined;
  #kept = emptyCache();
  readonly #asked = new LruCache<string, true>(MAX_ASKED, (_, { length }) => length);

  constructor(store: Pick<StoreReader, "version">, inputs: CacheInputs, queue = new RequestQueue()) {
    this.#store = store;
    this.#inputs = inputs;
    this.#queue = queue;
  }

  async serve(request: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    const { url, headers } = request;
    const now = this.#now();
    const had = headers["if-none-match"];
    const same = had && Object.values(now).find((key) => names(had, this.#tag(key, url)));
    if (same) {
      await this.#withFork(now.index, reply, async () => {});
      return reply.header("etag", this.#tag(same, url)).code(304).send();
    }
    return this.#withFork(now.index, reply, async () => {
      const kept = this.#find(now, url);
      if (kept !== undefined) return send(kept, reply);
      return this.#queue.run(costOf(request), async () => {
        const response = await make();
        const scope = cacheScopeOf(response);
        if (scope !== undefined) return send(await this.#keep(url, now, scope, response), reply);
        return sendOnce(response, reply);
      });
    });
  }

  /** Serves an uncacheable response in its turn. */
  async serveOnce(request: FastifyRequest, reply: FastifyReply, make: () => Promise<object>): Promise<unknown> {
    return this.#withFork(this.#now().index, reply, () =>
      this.#queue.run(costOf(request), async () => sendOnce(await make(), reply)),
    );
  }

  /** Whether a URL is cached, without reading the store. */
  has(url: string): boolean {
    return this.#kept.get(url) !== undefined;
  }

  async #keep(url: string, before: CacheKey, scope: CacheScope, response: object): Promise<CachedResponse> {
    const [body, type] = [await bodyOf(response), typeOf(response)];
    const key = before[scope];
    // Equal keys before and after mean that the inputs did not change in between.
    if (key !== this.#now()[scope]) return { body, type, etag: entityTag(body), key };
    const made = { body, type, etag: this.#tag(key, url), key };
    const isKept = this.#asked.get(url) && before.index === this.#index && body.length <= MAX_KEPT_LENGTH;
    if (isKept) this.#kept.set(url, { ...made, body: exactly(body) });
    this.#asked.set(url, true);
    return made;
  }

  #now(): CacheKey {
    const { heights, epoch, metadata = () => 0, names = () => 0 } = this.#inputs;
    const index = `${this.#store.version} ${heights()} ${this.#countImports()} ${metadata()} ${names()}`;
    return { index, state: `${index} ${epoch()}` };
  }

  /** Adds the fork header, which is read while the response is made. */
  async #withFork<T>(index: string, reply: FastifyReply, make: () => Promise<T>): Promise<T> {
    const known = this.#fork?.index === index ? Promise.resolve(this.#fork) : this.#readFork(index);
    // Awaited below; a rejection before that is not unhandled.
    known.catch(() => {});
    try {
      return await make();
    } finally {
      const { at } = await known;
      if (at !== undefined) reply.header(FORK_HEADER, at);
    }
  }

  async #readFork(index: string): Promise<ForkedAt> {
    const fork = { index, at: await this.#inputs.forkedAt?.() };
    this.#fork = fork;
    return fork;
  }

  /** An import replaces the signatures object. */
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

/** Entries are larger than their text and URL. */
function emptyCache(): LruCache<string, CachedResponse> {
  return new LruCache(MAX_KEPT, ({ body }, url) => body.length + url.length + OVERHEAD);
}

/** Copies bytes out of a larger buffer. */
function exactly(body: Json): Json {
  return typeof body === "string" ? body : Buffer.from(body);
}

async function bodyOf(response: object): Promise<Json> {
  return response instanceof TextResponse ? response.text : stringify(response);
}

function typeOf(response: object): string {
  return response instanceof TextResponse ? response.type : JSON_TYPE;
}

/** Sends an uncacheable response. */
function sendOnce(response: object, reply: FastifyReply): Promise<Json> {
  reply.header("content-type", typeOf(response));
  return bodyOf(response);
}

function send({ body, type, etag }: CachedResponse, reply: FastifyReply): Json {
  reply.headers({ "content-type": type, etag });
  return body;
}
