import type { Block } from "../chain/block/block.ts";
import type { ShownSidecar } from "../chain/block/sidecar.ts";
import { asChainError } from "../chain/error.ts";
import type { KzgVerifier } from "../node/blobs/verifySidecar.ts";
import { itemAt } from "../std/values.ts";
import type { BlobStore } from "../store/blobStore.ts";

/**
 * Stores blobs that a node includes in transactions, after verifying their proofs. Invalid blobs are dropped without
 * delaying the block.
 */
export class BlobKeeper {
  readonly #blobs: BlobStore;
  readonly #verifier: KzgVerifier;
  readonly #onError: (reason: string) => void;

  constructor(blobs: BlobStore, verifier: KzgVerifier, onError: (reason: string) => void = () => {}) {
    this.#blobs = blobs;
    this.#verifier = verifier;
    this.#onError = onError;
  }

  async keep({ sidecars = [] }: Pick<Block, "sidecars">): Promise<void> {
    for (const shown of sidecars) {
      try {
        await this.#keep(shown);
      } catch (error) {
        this.#onError(asChainError(error).message);
      }
    }
  }

  async #keep({ names, sidecar }: ShownSidecar): Promise<void> {
    if (sidecar === undefined || (await this.#blobs.hasAll(names))) return;
    if (!(await this.#verifier.verify(sidecar))) return;
    const { version, blobs, commitments, proofs } = sidecar;
    await this.#blobs.add(
      names.map((name, at) => ({
        name,
        data: itemAt(blobs, at),
        commitment: itemAt(commitments, at),
        proof: version === 0 ? itemAt(proofs, at) : null,
      })),
    );
  }
}
