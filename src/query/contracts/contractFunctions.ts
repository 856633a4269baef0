import type { AbiFunction } from "../../chain/abi/functions.ts";
import { isMutability, readFunctions } from "../../chain/abi/functions.ts";
import { KNOWN } from "../../chain/abi/known.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { VerifiedContract } from "../../verify/verification.ts";
import type { Account } from "../accounts/account.ts";
import type { QueryContext } from "../context.ts";
import type { RecoveredFunction } from "../decode/recoverFunctions.ts";
import { signatureOf } from "../decode/recovery.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** Functions and their origin: source, imported ABI, or bytecode analysis, which is a guess. */
export interface ContractFunctions {
  readonly origin: "source" | "abi" | "bytecode";
  readonly functions: readonly AbiFunction[];
}

/** Undefined if bytecode analysis takes too long. */
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

const MAX_IMPLEMENTATIONS = 10;

/** Functions of the contract and of its implementations. */
export async function readCallable(
  context: QueryContext,
  { address, account, proxy }: Pick<Account, "address" | "account" | "proxy">,
  isProxy: boolean,
): Promise<ContractFunctions | undefined> {
  if (account === undefined || account.code.length === 0) return undefined;
  if (!isProxy) return readContractFunctions(context, address, account.code);
  const targets = (proxy?.implementations ?? []).slice(0, MAX_IMPLEMENTATIONS);
  const tip = (await context.store.read(readIndexedRange))?.tip;
  const codes = tip && (await context.node?.state.codes(targets, tip));
  const found: ContractFunctions[] = [];
  for (const target of targets) {
    const code = codes?.get(toHex(target));
    const functions = code?.length ? await readContractFunctions(context, target, code) : undefined;
    if (functions !== undefined) found.push(functions);
  }
  return found.length === 0 ? undefined : merge(found);
}

function merge(found: readonly ContractFunctions[]): ContractFunctions {
  const functions = new Map(found.flatMap(({ functions }) => functions.map((each) => [each.selector, each])));
  const guess = found.find(({ origin }) => origin === "bytecode");
  return { origin: (guess ?? found[0]!).origin, functions: [...functions.values()] };
}

/** A well-known signature with the same selector has a name and better types. */
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
