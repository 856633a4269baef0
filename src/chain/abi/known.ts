import type { Hex } from "../hex.ts";
import { ERRORS, EVENTS, FUNCTIONS } from "./knownSignatures.ts";
import type { Lookup } from "./parseAbi.ts";
import { parseSignature } from "./parseSignature.ts";
import type { Candidates } from "./resolve.ts";
import type { Signature } from "./signature.ts";

/** Signatures that many contracts share: those of common tokens, proxies, wallets and exchanges. */
export const KNOWN: Candidates = {
  origin: "known",
  signatures: { functions: lookup(FUNCTIONS), events: lookup(EVENTS), errors: lookup(ERRORS) },
};

/** Finds lines by their id, and parses one when it is first found. */
function lookup(table: string): Lookup {
  const texts = new Map<Hex, string[]>();
  for (const line of table.trim().split("\n")) {
    const space = line.indexOf(" ");
    const id: Hex = `0x${line.slice(0, space)}`;
    const same = texts.get(id);
    if (same === undefined) texts.set(id, [line.slice(space + 1)]);
    else same.push(line.slice(space + 1));
  }
  const parsed = new Map<Hex, readonly Signature[]>();
  return {
    get(id) {
      const known = parsed.get(id);
      if (known !== undefined) return known;
      const signatures = texts.get(id)?.map(parseSignature);
      if (signatures !== undefined) parsed.set(id, signatures);
      return signatures;
    },
  };
}
