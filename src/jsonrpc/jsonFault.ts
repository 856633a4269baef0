/** Nesting depth; the same limit as Go's parser, which most nodes use. */
export const MAX_DEPTH = 10_000;

/** Values per document: 20 for each of 1,000 batched calls. That many parse within 20 ms. */
export const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Detects JSON that would take long to parse. Does not validate it. */
export function findJsonFault(text: string): "deep" | "many" | undefined {
  // A regular expression is vectorized; a loop over characters takes thirty times as long.
  const structure = /["[\]{},]/g;
  let depth = 0;
  let values = 0;
  let strings = 0;
  for (let match = structure.exec(text); match !== null; match = structure.exec(text)) {
    const [token] = match;
    if (token === '"') {
      const end = endOfString(text, match.index);
      if (end < 0) return undefined;
      structure.lastIndex = end + 1;
      strings++;
    } else if (token === "]" || token === "}") {
      if (--depth < 0) return undefined;
    } else {
      values++;
      if (token !== "," && ++depth > MAX_DEPTH) return "deep";
    }
    // Each value may have a key.
    if (values > MAX_VALUES || strings > 2 * MAX_VALUES + 1) return "many";
  }
  return undefined;
}

/** Index of the closing quote, or -1. */
export function endOfString(text: string, from: number): number {
  // Most strings have no escapes, and indexOf is faster than a loop.
  const end = text.indexOf('"', from + 1);
  if (end < 0 || text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return -1;
}
