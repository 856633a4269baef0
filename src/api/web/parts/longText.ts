import { Turn } from "../../../std/async.ts";
import { escapeHtml, Html } from "../../html.ts";
import { safeLines } from "./format.ts";

/** Characters processed between yields. */
const PIECE = 8192;

/** Renders untrusted multi-line text, yielding between pieces. */
export async function longText(text: string): Promise<Html> {
  const turn = new Turn();
  const safe = await safeInTurns(text, turn);
  return new Html(await escapeInTurns(safe, turn));
}

/** `safeLines` in pieces. */
export async function safeInTurns(text: string, turn: Turn): Promise<string> {
  const parts: string[] = [];
  for (const piece of piecesOf(text)) {
    parts.push(safeLines(piece));
    await turn.yieldToEventLoop();
  }
  return parts.join("");
}

/** `escapeHtml` in pieces. */
export async function escapeInTurns(text: string, turn: Turn): Promise<string> {
  const parts: string[] = [];
  for (const piece of piecesOf(text)) {
    parts.push(escapeHtml(piece));
    await turn.yieldToEventLoop();
  }
  return parts.join("");
}

export function isLong(text: string): boolean {
  return text.length > PIECE;
}

/** Never splits surrogate pairs or CRLF. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + PIECE, text.length);
    const to = end < text.length && JOINED.test(text.slice(end - 1, end + 1)) ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const JOINED = /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/;
