/** Brackets within brackets. Go's parser, which most nodes have, goes as deep. */
export const MAX_DEPTH = 10_000;

/** Values of one text: a batch of 1,000 calls has room for 20 in each. They are parsed within 20 ms, whatever they are. */
export const MAX_VALUES = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Why it would take long to parse a text, before that is done; whether it is JSON at all is for the parser to say. */
export function findJsonFault(text: string): "deep" | "many" | undefined {
  // The engine skips what is between with vector instructions; reading each character takes thirty times as long.
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

/** Where the string that begins at a quote ends, or -1 where it does not. */
export function endOfString(text: string, from: number): number {
  // Most strings have no escapes, and are searched quicker than read.
  const end = text.indexOf('"', from + 1);
  if (end < 0 || text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return -1;
}
