import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Chain } from "./chain.ts";

interface Reading<T> {
  readonly to: number;
  work(): Promise<T>;
}

/** Repeats a read that yields until the last block is the same before and after, so the result is of one chain. */
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
