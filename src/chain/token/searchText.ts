import { UNSEEN } from "./tokenText.ts";

/**
 * A text as it is searched for: without case, accents, what is not seen and the differences between forms of one
 * character, with single blanks between words.
 */
export function normaliseText(text: string): string {
  const plain = text
    .replace(UNSEEN, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  // By way of capitals, which ß and ss share; what is left of a final sigma is its place in the word.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  // Folding can bring back what is composed, and so can decomposing what is not seen.
  const stripped = folded
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(UNSEEN, "");
  return stripped.replace(/\s+/g, " ").trim();
}
