import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Method } from "../decode/method.ts";
import type { ActionPool, Asset } from "./action.ts";

/** A part of a sentence: words of ours, or something that a presenter names together with its address. */
export type Part =
  | string
  | { readonly asset: Asset }
  | { readonly token: KnownToken }
  | { readonly address: Bytes }
  | { readonly pool: ActionPool }
  /** Name or selector of a function. */
  | { readonly method: Method }
  /** Chosen by others: a reason, the name of an exchange. */
  | { readonly text: string };

/** A sentence in parts. */
export interface Sentence {
  readonly headline: readonly Part[];
  readonly detail: readonly Part[];
  /** "and …"; empty if there was nothing else. */
  readonly also: readonly Part[];
}

export function say(words: TemplateStringsArray, ...parts: readonly (Part | readonly Part[])[]): Part[] {
  const sentence: Part[] = [];
  for (const [at, word] of words.entries()) {
    if (word !== "") sentence.push(word);
    const part = parts[at];
    if (Array.isArray(part)) sentence.push(...(part as readonly Part[]));
    else if (part !== undefined) sentence.push(part as Part);
  }
  return sentence;
}

/** "a", "a and b", "a, b and c". */
export function enumerate(items: readonly Part[]): Part[] {
  return items.flatMap((item, at) => {
    if (at === 0) return [item];
    return [at === items.length - 1 ? " and " : ", ", item];
  });
}

export const coins = (amount: bigint): Part => ({ asset: { token: null, amount } });

export const isSame = (one: Bytes | undefined, other: Bytes): boolean => one !== undefined && equalBytes(one, other);
