import { UNSEEN } from "./tokenText.ts";

/** PostgreSQL stores it in place of NUL, which is unseen. */
const REPLACEMENT = "\ufffd";

/**
 * Search form: case and accents folded, invisible characters dropped, compatibility forms unified, blanks collapsed.
 */
export function normaliseText(text: string): string {
  const plain = text
    .replace(UNSEEN, "")
    .replaceAll(REPLACEMENT, "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  // Through upper case, where ß equals ss; a final sigma only depends on its position.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
  // Folding can recompose characters, and decomposition can expose invisible ones.
  const stripped = folded
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(UNSEEN, "");
  return stripped.replace(/\s+/g, " ").trim();
}
