import { Turn } from "../../../std/turn.ts";
import { escapeHtml, Html } from "../../html.ts";
import { safeLines } from "./format.ts";

/** Characters that are looked at before others may have their turn. */
const PIECE = 8192;

/** A text of several lines that anybody may have written, as markup. Others have their turn between its pieces. */
export async function longText(text: string): Promise<Html> {
  const turn = new Turn();
  const safe = await safeInTurns(text, turn);
  return new Html(await escapeInTurns(safe, turn));
}

/** What `safeLines` makes of it, in pieces. */
export async function safeInTurns(text: string, turn: Turn): Promise<string> {
  const parts: string[] = [];
  for (const piece of piecesOf(text)) {
    parts.push(safeLines(piece));
    await turn.yieldToEventLoop();
  }
  return parts.join("");
}

/** What `escapeHtml` makes of it, in pieces. */
export async function escapeInTurns(text: string, turn: Turn): Promise<string> {
  const parts: string[] = [];
  for (const piece of piecesOf(text)) {
    parts.push(escapeHtml(piece));
    await turn.yieldToEventLoop();
  }
  return parts.join("");
}

/** Whether it has several pieces. */
export function isLong(text: string): boolean {
  return text.length > PIECE;
}

/** No cut is between the halves of a character, or of the end of a line. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = Math.min(from + PIECE, text.length);
    const to = end < text.length && JOINED.test(text.slice(end - 1, end + 1)) ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const JOINED = /^(?:[\ud800-\udbff][\udc00-\udfff]|\r\n)$/;
