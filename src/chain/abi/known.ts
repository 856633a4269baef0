import { ERRORS, EVENTS, FUNCTIONS } from "./knownSignatures.ts";
import type { Lookup } from "./parseAbi.ts";
import type { Candidates } from "./resolve.ts";
import { SignatureTexts } from "./signatureTexts.ts";

/** Signatures shared by many contracts: tokens, proxies, wallets and exchanges. */
export const KNOWN: Candidates = {
  origin: "known",
  signatures: { functions: lookup(FUNCTIONS), events: lookup(EVENTS), errors: lookup(ERRORS) },
};

function lookup(table: string): Lookup {
  const texts = new SignatureTexts();
  for (const line of table.trim().split("\n")) {
    const space = line.indexOf(" ");
    texts.add(`0x${line.slice(0, space)}`, line.slice(space + 1));
  }
  return texts;
}
