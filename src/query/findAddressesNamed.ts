import type { Hex } from "../chain/encoding/hex.ts";
import { normaliseText } from "../chain/token/searchText.ts";
import type { QueryContext } from "./context.ts";
import { findNamed } from "./names/findNamed.ts";

const MAX_TEXT_LENGTH = 128;

/** Addresses that are called exactly so, whatever the case: by a label, by a verified source, or as a pool. */
export async function findAddressesNamed({ names, sources }: QueryContext, asked: string): Promise<readonly Hex[]> {
  const term = normaliseText(asked.slice(0, MAX_TEXT_LENGTH));
  if (term === "") return [];
  const verified = (await sources?.verifiedContracts.find(asked)) ?? [];
  const found = new Set<Hex>();
  for (const result of await findNamed(names, asked)) {
    if (result.kind === "pool") found.add(result.pool.address);
    else if (normaliseText(result.text) === term) found.add(result.address);
  }
  for (const { contract } of verified) if (normaliseText(contract.name) === term) found.add(contract.address);
  return [...found];
}
