import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Chain } from "./chain.ts";

/** A reading of blocks up to one, which lets others have their turn. */
export interface Reading<T> {
  readonly to: number;
  work(): Promise<T>;
}

/** Reads until the last block is the same before and after: then all before it are, too, and nothing is of two chains. */
export async function retryOnReorg<T>(chain: Chain, start: () => Reading<T>): Promise<T> {
  for (;;) {
    const { to, work } = start();
    const before = chain.database.hashOf(to);
    const result = await work();
    if (isSame(before, chain.database.hashOf(to))) return result;
  }
}

function isSame(before: Bytes | undefined, after: Bytes | undefined): boolean {
  return before !== undefined && after !== undefined && equalBytes(before, after);
}
