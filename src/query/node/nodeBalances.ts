import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import { balanceCall } from "../../chain/token/tokenCall.ts";
import { decodeUint } from "../../chain/token/tokenText.ts";
import type { ReadThrough } from "./readThrough.ts";

type At = Pick<Head, "number" | "hash">;

interface Holder {
  readonly token: Bytes;
  readonly holder: Bytes;
}

export const MAX_ASKED = 200;
const MAX_KEPT = 20_000;

/** `balanceOf` at a block, for tokens whose ledger is unreliable. Cached per state. */
export class NodeBalances {
  readonly #readThrough: ReadThrough;
  #state = "";
  /** Null if the token returns nothing. */
  #known = new Map<string, bigint | null>();

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** In the order of the holders; undefined if unknown or late. */
  async read(holders: readonly Holder[], at: At): Promise<(bigint | undefined)[]> {
    const known = this.#at(this.#readThrough.stateName(at));
    const unknown = holders.filter((one) => !known.has(keyOf(one))).slice(0, MAX_ASKED);
    if (unknown.length > 0) await this.#ask(unknown, at, known).catch(expectChainError);
    return holders.map((one) => known.get(keyOf(one)) ?? undefined);
  }

  #at(state: string): Map<string, bigint | null> {
    if (this.#state !== state || this.#known.size > MAX_KEPT) this.#known = new Map();
    this.#state = state;
    return this.#known;
  }

  async #ask(holders: readonly Holder[], at: At, known: Map<string, bigint | null>): Promise<void> {
    const calls = holders.map(({ token, holder }) => balanceCall(token, holder));
    const outcomes = await this.#readThrough.calls(calls, at);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof ChainError) continue;
      known.set(keyOf(holders[i]!), outcome === "reverted" ? null : decodeUint(outcome));
    }
  }
}

/** Falls back to the ledger. */
function expectChainError(error: unknown): void {
  if (!(error instanceof ChainError)) throw error;
}

function keyOf({ token, holder }: Holder): string {
  return toHex(token) + toHex(holder);
}
