import type { TestContext } from "node:test";
import type { VerificationOptions } from "../../src/api/app.ts";
import { parseArtifact } from "../../src/chain/contract/artifact.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";
import { ContractStore } from "../../src/store/contracts/contractStore.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { Compilers } from "../../src/verify/compilers.ts";
import { temporaryDirectory } from "./program.ts";

/** A contract as if its source had been verified. */
export interface MadeSource {
  readonly address: string;
  readonly name: string;
  readonly language?: "Solidity" | "Yul";
}

export async function openVerification(t: TestContext) {
  const contracts = await ContractStore.open(IN_MEMORY);
  t.after(() => contracts.close());
  const verification: VerificationOptions = {
    contracts,
    compilers: new Compilers({ cache: temporaryDirectory(t), fetches: false }),
  };
  return { verification, add: (source: MadeSource) => addSource(contracts, source) };
}

let made = 0;

async function addSource(contracts: ContractStore, { address, name, language = "Solidity" }: MadeSource) {
  made += 1;
  const code = `0x60${(made % 256).toString(16).padStart(2, "0")}${made.toString(16).padStart(8, "0")}${"5b".repeat(40)}`;
  const artifact = parseArtifact(
    JSON.stringify({ contractName: name, sourceName: "a.sol", abi: [], deployedBytecode: code }),
    "",
  )!;
  await contracts.addVerified(artifact, {
    address: fromHex(address),
    code: fromHex(code),
    name,
    language,
    compiler: "0.8.37+commit.00000000",
    optimized: false,
    license: "MIT",
    verified: 1_700_000_000 + made,
    match: "perfect",
    record: JSON.stringify({ language }),
  });
}
