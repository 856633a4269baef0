import type { Sidecar } from "../../chain/block/sidecar.ts";
import { refuse } from "./rlpItem.ts";

export interface KzgVerifier {
  /** Rejects only if verification could not run. */
  verify(sidecar: Sidecar): Promise<boolean>;
}

export async function verifySidecar(verifier: KzgVerifier, sidecar: Sidecar): Promise<void> {
  if (await verifier.verify(sidecar)) return;
  const subject = sidecar.version === 0 ? "invalid blob proof: " : "";
  throw refuse(`KZG verification error: ${subject}can't verify opening proof`);
}
