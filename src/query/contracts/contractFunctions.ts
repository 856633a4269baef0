import type { AbiFunction } from "../../chain/abi/functions.ts";
import { isMutability, readFunctions } from "../../chain/abi/functions.ts";
import { KNOWN } from "../../chain/abi/known.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { QueryContext } from "../context.ts";
import type { RecoveredFunction } from "../decode/recoverFunctions.ts";
import { signatureOf } from "../decode/recovery.ts";

/** What a contract can be called with, and where that is known from: its source, an imported ABI, or its bytecode, which is a guess. */
export interface ContractFunctions {
  readonly origin: "source" | "abi" | "bytecode";
  readonly functions: readonly AbiFunction[];
}

/** The functions of the contract at an address that has this code; undefined where they take too long to find out. */
export async function readContractFunctions(
  { sources, abis, decoder }: QueryContext,
  address: Bytes,
  code: Bytes,
): Promise<ContractFunctions | undefined> {
  const source = await sources?.sourceOf(address, code);
  if (source !== undefined) {
    return { origin: "source", functions: readFunctions((JSON.parse(source.record) as VerifiedContract).abi) };
  }
  const imported = await abis?.textOfCode(code);
  if (imported !== undefined) {
    return { origin: "abi", functions: readFunctions(JSON.parse(imported) as readonly unknown[]) };
  }
  const recovered = await decoder.recover(code);
  return recovered && { origin: "bytecode", functions: recovered.flatMap((each) => guess(each) ?? []) };
}

/** A well-known signature with the same selector has a name, and tells the types better than code does. */
function guess([digits, types, mutability]: RecoveredFunction): AbiFunction | undefined {
  const selector: Hex = `0x${digits}`;
  const signature = KNOWN.signatures.functions.get(selector)?.[0] ?? signatureOf(selector, types);
  return (
    signature && {
      selector,
      signature,
      outputs: undefined,
      mutability: isMutability(mutability) ? mutability : "nonpayable",
    }
  );
}
