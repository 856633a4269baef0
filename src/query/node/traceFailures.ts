import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { invalid, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { UNSEEN } from "../../chain/token/tokenText.ts";
import { LruCache } from "../../std/maps.ts";
import type { ReadThrough } from "./readThrough.ts";

interface TraceFailure {
  readonly error: string;
  readonly output: Bytes;
}

const MAX_KEPT = 4 << 20;
/** Longer output is neither cached nor shown. */
const MAX_OUTPUT_LENGTH = 128 << 10;
const MAX_ERROR_LENGTH = 200;

/** Trace results of failed transactions, cached by transaction and block. */
export class TraceFailures {
  readonly #readThrough: ReadThrough;
  readonly #known = new LruCache<string, TraceFailure>(
    MAX_KEPT,
    ({ output }, key) => output.length + MAX_ERROR_LENGTH + key.length,
  );

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Undefined if the node does not trace, or reports success. */
  async failure(transaction: Bytes, block: Bytes): Promise<TraceFailure | undefined> {
    const key = `${toHex(transaction)} ${toHex(block)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    try {
      const failure = readFailure(await this.#readThrough.trace(transaction, "top"));
      this.#known.set(key, failure);
      return failure;
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}

function readFailure(trace: unknown): TraceFailure {
  const { error, output } = readObject(trace, "trace");
  if (typeof error !== "string") throw invalid("trace.error", error, "why it failed");
  const text = error.slice(0, MAX_ERROR_LENGTH).replace(UNSEEN, "").trim();
  if (text === "") throw invalid("trace.error", error, "why it failed");
  return { error: text, output: readOutput(output) };
}

function readOutput(output: unknown): Bytes {
  if (output === undefined || output === null) return EMPTY;
  const isLong = typeof output === "string" && output.length > 2 + 2 * MAX_OUTPUT_LENGTH;
  return isLong ? EMPTY : new WireReader().bytes(output, "trace.output").slice();
}
