import { createdAddress } from "../chain/block/block.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { uintFromNumber } from "../chain/encoding/uint.ts";
import type { VerifiedContract, VerifiedOutcome } from "../verify/verification.ts";
import { outcomeOf } from "../verify/verifiedOutcome.ts";
import type { ContractName, SourcedContract } from "./artifacts.ts";
import { readCompiled } from "./artifacts.ts";
import { COMPILATIONS, readPackaged } from "./contractSources.ts";
import stored from "./contracts/verified.json" with { type: "json" };
import type { Scene } from "./scene/scene.ts";

/** Verification results without the parts that the packages have: sources, ABI and code. */
export interface StoredResult extends Omit<VerifiedContract, "abi" | "sources" | "runtime" | "constructorArguments"> {
  /** Texts of Oriel's own sources; null if a package has the source. */
  readonly sources: Readonly<Record<string, string | null>>;
  readonly runtime: Omit<VerifiedContract["runtime"], "object">;
}

/** A contract of the scene whose source is known. */
export interface SourcedDeployment {
  readonly address: Hex;
  readonly contract: SourcedContract;
  /** Creation code and constructor arguments. */
  readonly input: Hex;
}

export interface VerifiedSceneContract {
  readonly address: Hex;
  readonly license: string;
  readonly outcome: VerifiedOutcome;
}

/** The scene's contracts whose sources are published. */
export function sourcedDeployments({ blocks, artifacts, addresses }: Scene): SourcedDeployment[] {
  const names = Object.keys(COMPILATIONS) as SourcedContract[];
  const deployed = blocks.flat().flatMap(({ from, nonce, to, data = "0x" }) => {
    const contract = to === undefined && names.find((name) => data.startsWith(artifacts[name]));
    if (!contract) return [];
    const address = toHex(createdAddress({ from: fromHex(from.address), nonce: uintFromNumber(nonce) }));
    return [{ address, contract, input: data }];
  });
  const pairs = addresses.v2.pairs.map(({ address }) => ({ address, contract: "UniswapV2Pair" as const }));
  return [...deployed, ...pairs.map((pair) => ({ ...pair, input: artifacts.UniswapV2Pair }))];
}

/** Verification results of the scene's contracts, stored instead of compiled. */
export function verifiedScene(scene: Scene): VerifiedSceneContract[] {
  const byName = new Map<ContractName, Omit<VerifiedContract, "constructorArguments">>();
  return sourcedDeployments(scene).map(({ address, contract, input }) => {
    const known = byName.get(contract) ?? readVerified(contract);
    byName.set(contract, known);
    const values = input.slice(scene.artifacts[contract].length);
    const constructorArguments = values === "" ? undefined : `0x${values}`;
    const { license } = COMPILATIONS[contract];
    return { address, license, outcome: outcomeOf({ ...known, constructorArguments }) };
  });
}

function readVerified(contract: SourcedContract): Omit<VerifiedContract, "constructorArguments"> {
  const { sources, runtime, ...result }: StoredResult = (stored as Record<SourcedContract, StoredResult>)[contract];
  const { abi, runtime: object } = readCompiled(contract);
  const texts = Object.entries(sources).map(([path, text]) => [
    path,
    text ?? readPackaged(COMPILATIONS[contract].package, path),
  ]);
  return { ...result, abi, sources: Object.fromEntries(texts), runtime: { object, ...runtime } };
}
