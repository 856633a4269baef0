import type { Abi, Lookup } from "../../src/chain/abi/parseAbi.ts";
import { readAbi } from "../../src/chain/abi/parseAbi.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import type { Abis } from "../../src/query/decode/abis.ts";

export interface Published {
  readonly abi: readonly unknown[];
  /** Without it the ABI is of no contract in particular. */
  readonly deployedBytecode?: Hex;
}

export function memoryAbis(contracts: readonly Published[]): Abis {
  const abis = contracts.map(({ abi }) => readAbi(abi));
  const byCode = new Map<Hex, Abi>();
  const texts = new Map<Hex, string>();
  contracts.forEach(({ abi, deployedBytecode }, i) => {
    if (deployedBytecode === undefined) return;
    byCode.set(deployedBytecode.toLowerCase() as Hex, abis[i]!);
    texts.set(deployedBytecode.toLowerCase() as Hex, JSON.stringify(abi));
  });
  const merged = (kind: "functions" | "events" | "errors"): Lookup => ({
    get: (id) => {
      const found = abis.flatMap((abi) => abi[kind].get(id) ?? []);
      return found.length === 0 ? undefined : found;
    },
  });
  return {
    isEmpty: abis.length === 0,
    ofCode: async (code: Bytes) => byCode.get(toHex(code)),
    textOfCode: async (code: Bytes) => texts.get(toHex(code)),
    all: { functions: merged("functions"), events: merged("events"), errors: merged("errors") },
  };
}
