import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { parseArtifact } from "../chain/contract/artifact.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { asChainError } from "../chain/error.ts";
import type { DemonstratedContracts } from "../demo/demonstratedContracts.ts";
import type { ContractStore } from "../store/contracts/contractStore.ts";
import { storeVerified } from "../verify/storeVerified.ts";

/** Stores the verified contracts of a demonstration once it is built; those that are stored already stay. */
export async function storeDemonstrated(
  contracts: ContractStore,
  demonstrated: Promise<DemonstratedContracts>,
  signal: AbortSignal,
  onError: (reason: string) => void,
): Promise<void> {
  const stopped = signal.aborted ? undefined : once(signal, "abort").then(() => undefined);
  const found = await Promise.race([demonstrated, stopped]);
  if (found === undefined) return;
  try {
    await store(contracts, found, signal);
  } catch (error) {
    onError(asChainError(error).message);
  }
}

async function store(
  contracts: ContractStore,
  { verified, artifacts, labels }: DemonstratedContracts,
  signal: AbortSignal,
): Promise<void> {
  const known = await contracts.verifiedAmong(verified.map(({ address }) => address));
  const isKnown = new Set(known.map(({ address }) => toHex(address)));
  // An operator who removes labels does not get them back.
  if (isKnown.size === 0) await contracts.setLabels(labels);
  for (const { outcome, ...deployment } of verified) {
    if (signal.aborted) return;
    if (isKnown.has(toHex(deployment.address))) continue;
    await storeVerified(contracts, deployment, outcome);
    await setImmediate();
  }
  await contracts.add(artifacts.flatMap((text) => parseArtifact(text, "") ?? []));
  await contracts.refresh();
}
