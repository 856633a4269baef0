import { equalBytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Head, Source } from "../chain/source.ts";

/** Queries state after a block, named by hash (EIP-1898) or, if the node rejects that, by number. */
export class StateClient {
  readonly #source: Pick<Source, "hashes">;
  #knowsNumbersOnly = false;

  constructor(source: Pick<Source, "hashes">) {
    this.#source = source;
  }

  /** `ask` receives the block parameter. */
  async askAt<T>(at: Pick<Head, "number" | "hash">, ask: (block: unknown) => Promise<T>): Promise<T> {
    try {
      if (!this.#knowsNumbersOnly) return await ask({ blockHash: toHex(at.hash) });
    } catch (error) {
      if (!(error instanceof ChainError && error.code === "upstream_rejected")) throw error;
    }
    await this.#expectCanonical(at);
    const answer = await ask(quantity(at.number));
    await this.#expectCanonical(at);
    this.#knowsNumbersOnly = true;
    return answer;
  }

  /** A number may name another block after a reorg, so it is checked before and after. */
  async #expectCanonical({ number, hash }: Pick<Head, "number" | "hash">): Promise<void> {
    const [found] = await this.#source.hashes([number]);
    if (found !== undefined && equalBytes(found, hash)) return;
    throw new ChainError("upstream_unavailable", `the node has another block ${number} than ${toHex(hash)}`);
  }
}
