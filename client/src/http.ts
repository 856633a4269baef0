import { OrielError, reasonOf } from "./errors.ts";

export interface HttpOptions {
  /** Defaults to the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum retries of a request refused with 429 or 503. Default: 5. */
  readonly retries?: number;
  /** The longest wait before a repetition, in milliseconds; a request that would wait longer fails. Default: 30,000. */
  readonly maxDelay?: number;
  /** Milliseconds that an answer may take. Default: 60,000. */
  readonly timeout?: number;
  /** Number of responses cached by ETag. Default: 200. */
  readonly cacheSize?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before each wait, with milliseconds and the status of the refusal. */
  readonly onWait?: (delay: number, status: number) => void;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface KeptAnswer {
  readonly etag: string;
  readonly value: unknown;
}

/** Before the first repetition without `Retry-After`, in milliseconds. */
const FIRST_DELAY = 250;

const DEFAULTS = { retries: 5, maxDelay: 30_000, timeout: 60_000, cacheSize: 200 };

/** Requests that are repeated when they are refused, and answers that are kept until they change. */
export class Http {
  readonly #options: HttpOptions & typeof DEFAULTS;
  /** By URL, the one that was asked for last at the end. */
  readonly #kept = new Map<string, KeptAnswer>();

  constructor(options: HttpOptions) {
    const set = Object.entries(options).filter(([, value]) => value !== undefined);
    this.#options = { ...DEFAULTS, ...Object.fromEntries(set) };
  }

  /** `read` makes a value of the answer once; the same value is returned while the answer is the same. */
  async get<T>(url: string, read: (body: unknown) => T, { signal }: CallOptions = {}): Promise<T> {
    const kept = this.#kept.get(url);
    const response = await this.#send(url, { headers: kept ? { "if-none-match": kept.etag } : {} }, signal);
    if (response.status === 304 && kept !== undefined) {
      this.#keep(url, kept);
      return kept.value as T;
    }
    const value = read(await readBody(response, url));
    const etag = response.headers.get("etag");
    this.#kept.delete(url);
    if (etag !== null) this.#keep(url, { etag, value });
    return value;
  }

  async post(url: string, body: string, type: string, { signal }: CallOptions = {}): Promise<unknown> {
    const headers = { "content-type": type };
    return readBody(await this.#send(url, { method: "POST", headers, body }, signal), url);
  }

  #keep(url: string, answer: KeptAnswer): void {
    this.#kept.delete(url);
    this.#kept.set(url, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#options.cacheSize && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #send(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const { fetch = globalThis.fetch, retries, maxDelay, timeout, headers, onWait } = this.#options;
    for (let repeated = 0; ; repeated++) {
      const limit = AbortSignal.timeout(timeout);
      const response = await fetch(url, {
        ...init,
        headers: { ...headers, ...(init.headers as Record<string, string>) },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      if (!isRefused(response)) return response;
      const delay = delayOf(response, repeated);
      if (repeated >= retries || delay > maxDelay) return response;
      await response.body?.cancel();
      onWait?.(delay, response.status);
      await wait(delay, signal);
    }
  }
}

/** The request was not begun: it may be repeated whatever it does. */
const isRefused = ({ status }: Response) => status === 429 || status === 503;

function delayOf(response: Response, repeated: number): number {
  const text = response.headers.get("retry-after");
  if (text === null) return FIRST_DELAY * 2 ** repeated * (0.5 + Math.random() / 2);
  const seconds = Number(text);
  const delay = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000;
  return Math.max(0, Number.isNaN(delay) ? FIRST_DELAY : delay);
}

function wait(delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, delay);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

async function readBody(response: Response, url: string): Promise<unknown> {
  const { status, ok } = response;
  const text = await response.text();
  const body = parse(text);
  if (ok && body !== undefined) return body;
  const reason = reasonOf(body) ?? (ok ? "the answer is not JSON" : text.slice(0, 200) || response.statusText);
  throw new OrielError(`${status}: ${reason}`, { url, status, body: body ?? text });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
