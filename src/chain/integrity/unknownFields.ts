import type { Block } from "../block/block.ts";
import { AMSTERDAM_FIELDS } from "../block/header.ts";
import type { Extra } from "../encoding/extra.ts";
import type { Check } from "./checks.ts";

/** Names of fields by the check that might have to count them in. */
export type UnknownFields = Readonly<Partial<Record<Check, readonly string[]>>>;

const NONE: UnknownFields = {};

/** Checks of gas rules, which a fork may change. The others compare a block with its own hashes. */
const OF_FORK: readonly Check[] = ["gasUsed", "feeCap", "blobGas"];

/**
 * The fields of a block that we do not know. A node may add any to its answers; but one may be part of what is hashed,
 * and one in the header may mean that the block follows the rules of a later fork.
 */
export function unknownFields(block: Block, failed: readonly Check[]): UnknownFields {
  const { header, receipts } = block;
  const ofHeader = namesIn([[header]]);
  // A fork shows in the header, and what known types of transactions commit to is settled: without it, none is excused.
  if (ofHeader.length === 0) return NONE;
  const ofReceipts = namesIn([receipts, ...receipts.map(({ logs }) => logs)]);
  const ofFork = failed.includes("blockHash") ? ofHeader : ofHeader.filter(isOfAmsterdam);
  const broken = OF_FORK.filter((check) => failed.includes(check));
  return {
    blockHash: ofHeader,
    size: ofHeader,
    receiptsRoot: ofReceipts,
    ...Object.fromEntries(broken.map((check) => [check, ofFork])),
  };
}

function isOfAmsterdam(name: string): boolean {
  return (AMSTERDAM_FIELDS as readonly string[]).includes(name);
}

function namesIn(lists: readonly (readonly { readonly extra?: Extra }[])[]): string[] {
  const names = new Set<string>();
  for (const list of lists) {
    for (const { extra } of list) {
      for (const [name, value] of Object.entries(extra ?? {}))
        if (value !== null && value !== undefined) names.add(name);
    }
  }
  return [...names];
}
