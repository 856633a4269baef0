import type { Hex } from "../encoding/hex.ts";
import type { Lookup } from "./parseAbi.ts";
import { MAX_ALIKE } from "./parseAbi.ts";
import { parseSignature } from "./parseSignature.ts";
import type { Signature } from "./signature.ts";

/** Finds signatures by their id among very many: one is a text until it is first found. */
export class SignatureTexts implements Lookup {
  readonly #texts = new Map<Hex, string[]>();
  readonly #parsed = new Map<Hex, readonly Signature[]>();

  /** Those that share an id are tried in the order in which they are added. */
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
