import type { Artifact } from "../chain/contract/artifact.ts";
import { parseArtifact } from "../chain/contract/artifact.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { ContractStore } from "../store/contracts/contractStore.ts";
import type { VerifiedOutcome } from "./verification.ts";

/** The contract that was verified. */
export interface VerifiedDeployment {
  readonly address: Bytes;
  readonly code: Bytes;
  /** SPDX identifier; empty if not given. */
  readonly license: string;
}

export async function storeVerified(
  contracts: ContractStore,
  deployment: VerifiedDeployment,
  { verified, artifact, record }: VerifiedOutcome,
): Promise<void> {
  const { name, language, compiler, isOptimized, match } = verified;
  await contracts.addVerified(readArtifact(artifact), {
    ...deployment,
    name,
    language,
    compiler,
    optimized: isOptimized,
    verified: Math.floor(Date.now() / 1000),
    match,
    record,
  });
}

/** The artifact identifies all deployments of this contract. */
function readArtifact(text: string): Artifact {
  const artifact = parseArtifact(text, "");
  if (artifact === undefined) throw new ChainError("internal", "what was compiled is no contract");
  return artifact;
}
