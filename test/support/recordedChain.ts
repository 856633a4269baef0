import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RLP } from "@ethereumjs/rlp";
import { pointEvaluation } from "../../src/node/blobs/pointEvaluation.ts";
import { Chain } from "../../src/node/chain.ts";
import type { Genesis } from "../../src/node/genesis.ts";
import { Rules } from "../../src/node/rules.ts";

/** The folder of the public suite of JSON-RPC cases, where the environment names one. */
export const SUITE = process.env.ORIEL_VECTORS && join(process.env.ORIEL_VECTORS, "execution-apis");

export async function openRecordedChain(folder: string): Promise<Chain> {
  const genesis = JSON.parse(readFileSync(join(folder, "genesis.json"), "utf8")) as Genesis;
  const chain = await Chain.open(undefined, genesis, new Rules(genesis, pointEvaluation));
  let rest: Uint8Array = readFileSync(join(folder, "chain.rlp"));
  while (rest.length > 0) {
    const { remainder } = RLP.decode(rest, true);
    await chain.import(rest.subarray(0, rest.length - remainder.length));
    rest = remainder;
  }
  return chain;
}

interface Exchange {
  readonly request: { readonly method: string; readonly params: readonly unknown[] };
  readonly response: { readonly result?: unknown; readonly error?: { readonly code: number; readonly data?: unknown } };
}

/** The cases of one method: by name, what is asked and what is to be answered. */
export function casesOf(folder: string, method: string): { readonly name: string; readonly exchanges: Exchange[] }[] {
  return readdirSync(join(folder, method)).map((name) => {
    const lines = readFileSync(join(folder, method, name), "utf8").split("\n");
    const pick = (start: string) =>
      lines.filter((line) => line.startsWith(start)).map((line) => JSON.parse(line.slice(3)) as never);
    const responses = pick("<< ");
    const exchanges = pick(">> ").map((request, index) => ({ request, response: responses[index]! }));
    return { name, exchanges };
  });
}
