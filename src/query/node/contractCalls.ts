import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, Head } from "../../chain/source.ts";
import { withTimeout } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import type { CallQuestion, CallReturn, ReadThrough } from "./readThrough.ts";

type At = Pick<Head, "number" | "hash">;

/** Values read automatically per contract. */
export const MAX_VALUES = 30;
/** Calls per batch, which bounds the time a slow contract occupies the node. */
const BATCH = 5;
/** Milliseconds after which no further batch is sent. */
const TIMEOUT = 2000;
const MAX_KEPT = 4 << 20;
const OVERHEAD = 300;

/** Contract reads for the explorer, cached per state. */
export class ContractCalls {
  readonly #readThrough: ReadThrough;
  readonly #kept = new LruCache<string, Bytes | "reverted">(MAX_KEPT, (value) => OVERHEAD + value.length);

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Throws if the node does not answer. */
  call(question: CallQuestion, at: At): Promise<CallReturn> {
    return this.#readThrough.call(question, at);
  }

  /** Undefined for calls that do not finish in time or exceed the limit. */
  async values(to: Bytes, inputs: readonly Bytes[], at: At): Promise<(Bytes | "reverted" | undefined)[]> {
    const state = `${this.#readThrough.stateName(at)} ${toHex(to)}`;
    const keyOf = (data: Bytes) => `${state} ${toHex(data)}`;
    const asked = inputs.slice(0, MAX_VALUES);
    const unknown = asked.filter((data) => this.#kept.get(keyOf(data)) === undefined);
    const began = performance.now();
    for (let first = 0; first < unknown.length && performance.now() - began < TIMEOUT; first += BATCH) {
      const batch = unknown.slice(first, first + BATCH);
      const left = TIMEOUT - (performance.now() - began);
      const outcomes = await this.#ask(to, batch, at, left);
      if (outcomes === undefined) break;
      for (const [i, outcome] of outcomes.entries()) {
        if (!(outcome instanceof ChainError)) this.#kept.set(keyOf(batch[i]!), outcome);
      }
    }
    return inputs.map((data) => this.#kept.get(keyOf(data)));
  }

  async #ask(to: Bytes, inputs: readonly Bytes[], at: At, left: number): Promise<CallOutcome[] | undefined> {
    try {
      const calls = inputs.map((data) => ({ to, data }));
      return await withTimeout(this.#readThrough.calls(calls, at), left, () => undefined);
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}
