import { endOfString } from "./jsonFault.ts";

/** Numeric ids as written, by message index. Does not find a key spelled with escapes. The text must be valid JSON. */
export function numericIds(body: string): Map<number, string> {
  const found = new Map<number, string>();
  const isBatch = /^\s*\[/.test(body);
  let [depth, message] = [0, 0];
  for (let at = 0; at < body.length; at++) {
    const character = body[at];
    if (character === '"') {
      const end = endOfString(body, at);
      if (depth === (isBatch ? 2 : 1) && body.slice(at, end + 1) === '"id"') noteId(body, end + 1, message, found);
      at = end;
    } else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === "," && isBatch && depth === 1) message++;
  }
  return found;
}

const NUMBER_AFTER_COLON = /\s*:\s*(-?\d[\d.eE+-]*)?/y;

/** The last of duplicate keys wins, as in JSON.parse. */
function noteId(body: string, from: number, message: number, found: Map<number, string>): void {
  NUMBER_AFTER_COLON.lastIndex = from;
  const match = NUMBER_AFTER_COLON.exec(body);
  if (match === null) return;
  if (match[1] === undefined) found.delete(message);
  else found.set(message, match[1]);
}
