import { existsSync } from "node:fs";
import { join } from "node:path";

/** The database of an embedded chain. */
export const CHAIN_FILE = "node.sqlite";

export const chainFile = (directory: string): string => join(directory, CHAIN_FILE);

export function hasChain(directory: string): boolean {
  return existsSync(chainFile(directory));
}
