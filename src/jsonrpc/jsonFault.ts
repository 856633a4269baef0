/** Brackets within brackets. Go's parser, which most nodes have, goes as deep. */
export const MOST_DEPTH = 10_000;

/** Values of one body: a batch of 1,000 calls has room for 100 in each. */
export const MOST_VALUES = 100_000;

/** What is shorter cannot hold enough of anything to take long. */
const SHORT = 4096;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Why it would take long to parse a text, before that is done; whether it is JSON at all is for the parser to say. */
export function findJsonFault(text: string): "deep" | "many" | undefined {
  if (text.length < SHORT) return undefined;
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return undefined;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > MOST_DEPTH) return "deep";
      values++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA) values++;
    if (values > MOST_VALUES) return "many";
  }
  return undefined;
}

/** Where the string that begins at a quote ends, or -1 where it does not. */
function endOfString(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return -1;
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
}
