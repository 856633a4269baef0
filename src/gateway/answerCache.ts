import { STATE_METHODS } from "../source/stateMethods.ts";
import { LruCache } from "../std/maps.ts";
import { isObject } from "../std/values.ts";
import type { FinalizedHeight } from "./finalizedHeight.ts";

export const MAX_CACHED = 32 << 20;

const MAX_ANSWER_LENGTH = 1 << 20;

/** Index of the block number parameter of cached methods. */
const BLOCK_PARAMS: Readonly<Record<string, number>> = {
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getRawTransactionByBlockNumberAndIndex: 0,
  ...STATE_METHODS,
};

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,12})$/i;

/** Caches immutable answers: those determined by their parameters, by a block hash, or by a finalized block. */
export class AnswerCache {
  #answers = emptyCache();
  #branch = 0;
  readonly #finalized: Pick<FinalizedHeight, "current" | "forget">;
  readonly #branchNow: () => Promise<number>;

  /** `branch` changes after a reorg of the node, which may include finalized blocks. */
  constructor(finalized: Pick<FinalizedHeight, "current" | "forget">, branch: () => Promise<number>) {
    this.#finalized = finalized;
    this.#branchNow = branch;
  }

  async get(method: string, params: readonly unknown[], ask: () => Promise<string>): Promise<string> {
    if (!this.#isImmutable(method, params)) return ask();
    const key = `${method} ${JSON.stringify(params)}`;
    const follows = method === "web3_sha3" ? undefined : this.#dropGone();
    if (this.#answers.get(key) !== undefined) {
      await follows;
      return this.#answers.get(key) ?? ask();
    }
    const branch = this.#branch;
    const [text] = await Promise.all([ask(), follows]);
    // A missing record may appear later.
    const isKept = text !== "null" && text.length + key.length <= MAX_ANSWER_LENGTH && branch === this.#branch;
    if (isKept) this.#answers.set(key, text);
    return text;
  }

  /** Drops answers that may derive from removed blocks. */
  async #dropGone(): Promise<void> {
    const branch = await this.#branchNow();
    if (branch === this.#branch) return;
    this.#branch = branch;
    this.#answers = emptyCache();
    this.#finalized.forget();
  }

  /** Whether a block is canonical may change. */
  #isImmutable(method: string, params: readonly unknown[]): boolean {
    if (method === "web3_sha3" || method.includes("ByBlockHash")) return true;
    const isHash = (param: unknown) =>
      isObject(param) && typeof param.blockHash === "string" && !param.requireCanonical;
    return params.some(isHash) || this.#isFinalized(params[BLOCK_PARAMS[method] ?? -1]);
  }

  #isFinalized(block: unknown): boolean {
    const number = isObject(block) ? block.blockNumber : block;
    return typeof number === "string" && QUANTITY.test(number) && Number(number) <= this.#finalized.current;
  }
}

function emptyCache(): LruCache<string, string> {
  return new LruCache(MAX_CACHED, (text, key) => text.length + key.length);
}
