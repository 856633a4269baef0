import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import type { QueryContext } from "./context.ts";

/** Hashes are found whole anywhere in the index, and by their beginning among so many of the newest transactions. */
export const NEWEST = 1000;

/** Results of each kind. */
const MAX_FOUND = 10;

export interface PrefixMatches {
  readonly transactions: readonly { readonly hash: Bytes; readonly block: number }[];
  readonly blocks: readonly { readonly hash: Bytes; readonly number: number }[];
  readonly addresses: readonly Bytes[];
}

/** The beginning of an address or a hash: 0x and 4 to 63 hex digits, in lower case; undefined if it is none. */
export function readPrefix(text: string): Hex | undefined {
  const [, digits] = /^0x([0-9a-f]{4,63})$/i.exec(text.trim()) ?? [];
  return digits === undefined || digits.length === 40 ? undefined : `0x${digits.toLowerCase()}`;
}

/** Among the newest transactions, their blocks and parties, and all addresses that have a label or are pools. */
export async function findByPrefix({ store, names }: QueryContext, prefix: Hex): Promise<PrefixMatches> {
  const isWanted = (hex: string) => hex.startsWith(prefix);
  const mined = await store.read(async ({ transactions }) =>
    transactions.at(await transactions.below(undefined, NEWEST)),
  );
  const blocks = new Map(mined.map(({ block: { header } }) => [header.number, header.hash]));
  const parties = mined.flatMap(({ transaction: { from, to }, receipt }) => [from, to, receipt.contractAddress]);
  const known = [...names.labels().keys(), ...[...names.pools()].map(({ address }) => address)];
  const addresses = new Set<Hex>([...known, ...parties.flatMap((party) => (party === null ? [] : [toHex(party)]))]);
  return {
    transactions: mined
      .filter(({ transaction }) => isWanted(toHex(transaction.hash)))
      .slice(0, MAX_FOUND)
      .map(({ transaction: { hash }, block: { header } }) => ({ hash, block: header.number })),
    blocks: [...blocks]
      .filter(([, hash]) => isWanted(toHex(hash)))
      .slice(0, MAX_FOUND)
      .map(([number, hash]) => ({ hash, number })),
    addresses: [...addresses].filter(isWanted).slice(0, MAX_FOUND).map(fromHex),
  };
}
