import type { Hex } from "../encoding/hex.ts";
import type { Lookup } from "./parseAbi.ts";
import { MAX_ALIKE } from "./parseAbi.ts";
import { parseSignature } from "./parseSignature.ts";
import type { Signature } from "./signature.ts";

/** A large lookup table that parses a signature on first use. */
export class SignatureTexts implements Lookup {
  readonly #texts = new Map<Hex, string[]>();
  readonly #parsed = new Map<Hex, readonly Signature[]>();

  /** Colliding signatures are tried in insertion order. */
  add(id: Hex, text: string): void {
    const same = this.#texts.get(id);
    if (same === undefined) this.#texts.set(id, [text]);
    else if (same.length < MAX_ALIKE) same.push(text);
  }

  get(id: Hex): readonly Signature[] | undefined {
    const known = this.#parsed.get(id);
    if (known !== undefined) return known;
    const signatures = this.#texts.get(id)?.map(parseSignature);
    if (signatures !== undefined) this.#parsed.set(id, signatures);
    return signatures;
  }
}
