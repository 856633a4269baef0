import type { EVM, PrecompileFunc } from "@ethereumjs/evm";
import type { Bytes } from "../../chain/encoding/bytes.ts";

const ECRECOVER = "1".padStart(40, "0");

/** Overrides ECRECOVER for some signatures (r, s, v as hex), at the same cost. */
export function impersonateSignatures(evm: EVM, signers: ReadonlyMap<string, Bytes>): void {
  const precompiles = evm.precompiles as Map<string, PrecompileFunc>;
  const recover = precompiles.get(ECRECOVER);
  if (recover === undefined) return;
  precompiles.set(ECRECOVER, async (input) => {
    const result = await recover(input);
    const signer = signers.get(signatureIn(input.data));
    const failed = result.exceptionError !== undefined;
    return signer === undefined || failed ? result : { ...result, returnValue: Buffer.concat([PADDING, signer]) };
  });
}

const PADDING = new Uint8Array(12);

/** Input words: hash, v, r, s; zero-padded. */
function signatureIn(data: Bytes): string {
  const words = Buffer.alloc(128);
  words.set(data.subarray(0, 128));
  return words.toString("hex", 64) + words.toString("hex", 63, 64);
}
