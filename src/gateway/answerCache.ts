import { isObject } from "../std/isObject.ts";
import { LruCache } from "../std/lruCache.ts";

/** Characters of answers that are kept, with their calls. */
export const MOST_CACHED = 32 << 20;

/** An answer that is longer is not kept. */
const LONGEST = 1 << 20;

/** Answers that cannot change: those that follow from their parameters alone, or from a block that is named by its hash. */
export class AnswerCache {
  readonly #answers = new LruCache<string, string>(MOST_CACHED, (text, key) => text.length + key.length);

  /** The answer to a call: the one that was kept, or what `ask` answers now. */
  async get(method: string, params: readonly unknown[], ask: () => Promise<string>): Promise<string> {
    if (!isImmutable(method, params)) return ask();
    const key = `${method} ${JSON.stringify(params)}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const text = await ask();
    // What is not there may come.
    if (text !== "null" && text.length + key.length <= LONGEST) this.#answers.set(key, text);
    return text;
  }
}

/** Whether a block is canonical may change. */
function isImmutable(method: string, params: readonly unknown[]): boolean {
  if (method === "web3_sha3" || method.includes("ByBlockHash")) return true;
  return params.some((param) => isObject(param) && typeof param.blockHash === "string" && !param.requireCanonical);
}
