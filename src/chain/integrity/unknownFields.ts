import type { Block } from "../block/block.ts";
import { AMSTERDAM_FIELDS } from "../block/header.ts";
import type { Extra } from "../encoding/extra.ts";
import type { Check } from "./checks.ts";

/** Field names by the check they might affect. */
export type UnknownFields = Readonly<Partial<Record<Check, readonly string[]>>>;

const NONE: UnknownFields = {};

/** Gas rules, which a fork may change. The others compare a block with its own hashes. */
const OF_FORK: readonly Check[] = ["gasUsed", "feeCap", "blobGas"];

/** Unknown fields of a block. One may be part of a hash, or indicate the rules of a later fork. */
export function unknownFields(block: Block, failed: readonly Check[]): UnknownFields {
  const { header, receipts } = block;
  const ofHeader = namesIn([[header]]);
  // Forks show in the header, and known transaction types are fixed: without an unknown header field nothing is
  // excused.
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
