import type { Sidecar } from "../../chain/block/sidecar.ts";
import { refuse } from "./rlpItem.ts";

export interface KzgVerifier {
  /** Whether the proofs hold. It rejects only if that could not be found out. */
  verify(sidecar: Sidecar): Promise<boolean>;
}

/** Throws where the proofs do not hold, in geth's words. */
export async function verifySidecar(verifier: KzgVerifier, sidecar: Sidecar): Promise<void> {
  if (await verifier.verify(sidecar)) return;
  const subject = sidecar.version === 0 ? "invalid blob proof: " : "";
  throw refuse(`KZG verification error: ${subject}can't verify opening proof`);
}
