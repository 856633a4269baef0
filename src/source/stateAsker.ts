import { equalBytes } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Head, Source } from "../chain/source.ts";

/** Asks about the state after one block, named by its hash (EIP-1898) or, where the node refuses that, by its number. */
export class StateAsker {
  readonly #source: Pick<Source, "hashes">;
  #knowsNumbersOnly = false;

  constructor(source: Pick<Source, "hashes">) {
    this.#source = source;
  }

  /** `ask` is given what names the block in the parameters of a call. */
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

  /** A number names another block after a reorganisation, so it is looked at before and after. */
  async #expectCanonical({ number, hash }: Pick<Head, "number" | "hash">): Promise<void> {
    const [found] = await this.#source.hashes([number]);
    if (found !== undefined && equalBytes(found, hash)) return;
    throw new ChainError("upstream_unavailable", `the node has another block ${number} than ${toHex(hash)}`);
  }
}
