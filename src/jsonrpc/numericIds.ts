import { endOfString } from "../std/jsonFault.ts";

/**
 * The ids of a request or a batch that are numbers, as they were written, by the position of their message. A key that is
 * spelled with escapes is not found. The text is valid JSON.
 */
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

/** Of two ids of one message the last counts, as in JSON. */
function noteId(body: string, from: number, message: number, found: Map<number, string>): void {
  NUMBER_AFTER_COLON.lastIndex = from;
  const match = NUMBER_AFTER_COLON.exec(body);
  if (match === null) return;
  if (match[1] === undefined) found.delete(message);
  else found.set(message, match[1]);
}
