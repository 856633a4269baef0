import { lookup } from "node:dns/promises";
import type { IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import { ChainError } from "../../chain/error.ts";
import { LruCache } from "../../std/maps.ts";
import { isLocal } from "./localNetwork.ts";

export const MAX_DOCUMENT = 256 << 10;

export const DOCUMENT_TIME = 5000;

export const MAX_FETCHED = 8;

export const DOCUMENT_AGE = 600_000;

const MAX_KEPT = 16 << 20;

export interface DocumentHosts {
  /** Names or addresses, with a port unless it is the scheme's default. */
  readonly hosts: readonly string[];
  /** The host that serves `ipfs://`. */
  readonly gateway: string | undefined;
}

interface DocumentOptions {
  readonly resolve?: typeof lookup;
  readonly time?: number;
}

interface Kept {
  readonly text: string | ChainError;
  readonly since: number;
}

/** Fetches documents from allowed hosts only. Redirects are refused, since they may lead anywhere. */
export class Documents {
  readonly #hosts: DocumentHosts;
  readonly #resolve: typeof lookup;
  readonly #time: number;
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT, ({ text }) => (typeof text === "string" ? text.length : 200));
  readonly #flights = new Map<string, Promise<string>>();

  constructor(hosts: DocumentHosts, { resolve = lookup, time = DOCUMENT_TIME }: DocumentOptions = {}) {
    this.#hosts = hosts;
    this.#resolve = resolve;
    this.#time = time;
  }

  async read(uri: string): Promise<string> {
    const url = this.#allowed(uri);
    const known = this.#kept.get(url.href);
    if (known !== undefined && performance.now() - known.since < DOCUMENT_AGE) {
      if (typeof known.text === "string") return known.text;
      throw known.text;
    }
    return this.#flights.get(url.href) ?? this.#share(url);
  }

  #allowed(uri: string): URL {
    const { hosts, gateway } = this.#hosts;
    const ipfs = /^ipfs:\/\/(?:ipfs\/)?(.+)$/i.exec(uri)?.[1];
    if (ipfs !== undefined && gateway === undefined) throw refused("no gateway for ipfs is allowed");
    const spelled = ipfs === undefined ? uri : `https://${gateway}/ipfs/${ipfs}`;
    const url = URL.canParse(spelled) ? new URL(spelled) : undefined;
    if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
      throw refused("it is no data:, http, https or ipfs URI");
    }
    if (url.username !== "" || url.password !== "") throw refused("it has a user or a password");
    if (!hosts.includes(url.host)) throw refused("its host is not allowed");
    url.hash = "";
    return url;
  }

  #share(url: URL): Promise<string> {
    if (this.#flights.size >= MAX_FETCHED)
      throw new ChainError("limit_exceeded", "too many documents are being fetched");
    const flight = this.#fetch(url).finally(() => this.#flights.delete(url.href));
    this.#flights.set(url.href, flight);
    return flight;
  }

  async #fetch(url: URL): Promise<string> {
    const keep = (text: string | ChainError) => this.#kept.set(url.href, { text, since: performance.now() });
    try {
      const text = await readText(
        await get(url, { lookup: this.#lookupFor(url), signal: AbortSignal.timeout(this.#time) }),
      );
      keep(text);
      return text;
    } catch (cause) {
      const error = cause instanceof ChainError ? cause : unreachable(cause);
      keep(error);
      throw error;
    }
  }

  /**
   * Resolves a host to a public address only: the name of an allowed host may point into the local network. Explicitly
   * allowed local addresses and `localhost` are exempt.
   */
  #lookupFor({ hostname }: URL): LookupFunction {
    return (name, options, callback) => {
      const isExplicit = isIP(hostname) !== 0 || hostname === "localhost";
      this.#resolve(name, { ...options, all: true }).then(
        (found) => {
          const local = isExplicit ? undefined : found.find(({ address, family }) => isLocal(address, family));
          const [first] = found;
          if (local !== undefined) callback(refused("its host leads to the local network"), "", 0);
          else if (options.all) callback(null, found);
          else callback(null, first?.address ?? "", first?.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, "", 0),
      );
    };
  }
}

function refused(reason: string): ChainError {
  return new ChainError("unsupported", `the URI is not followed: ${reason}`);
}

function unreachable(cause: unknown): ChainError {
  const isLate = cause instanceof Error && (cause.name === "TimeoutError" || cause.name === "AbortError");
  const reason = isLate ? "it did not answer in time" : "it cannot be reached";
  return new ChainError("upstream_unavailable", `the host of the URI failed: ${reason}`, { cause });
}

function get(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  const headers = { accept: "application/json", "accept-encoding": "identity" };
  return new Promise((resolve, reject) => {
    const ask = url.protocol === "https:" ? https.get : http.get;
    ask(url, { ...options, headers, agent: false }, resolve).on("error", reject);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new ChainError("upstream_rejected", `the host of the URI answered with status ${response.statusCode}`);
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_DOCUMENT) {
      response.destroy();
      throw new ChainError("limit_exceeded", `what the URI leads to is longer than ${MAX_DOCUMENT} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
