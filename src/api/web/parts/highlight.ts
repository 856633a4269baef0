import { hash } from "node:crypto";
import { Turn } from "../../../std/async.ts";
import { LruCache } from "../../../std/maps.ts";
import { escapeHtml, Html } from "../../html.ts";
import { escapeInTurns, isLong, longText, safeInTurns } from "./longText.ts";

export const MAX_HIGHLIGHTED_LENGTH = 200_000;

/** Matches a comment, string, number or word in one pass. */
const TOKEN =
  /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|\b(0x[\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e-?\d+)?)\b|[A-Za-z_$][\w$]*/g;

const KEYWORDS = new Set(
  (
    "abstract anonymous as assembly assert break case catch constant constructor continue contract default delete do else emit " +
    "enum error event external fallback for from function global if immutable import indexed interface internal is layout leave " +
    "let library memory modifier new object override payable pragma private public pure receive require return returns revert " +
    "storage struct super switch this throw transient try type unchecked unicode using var view virtual while calldata " +
    "solidity true false null wei gwei ether seconds minutes hours days weeks"
  ).split(" "),
);

const TYPE = /^(?:u?int\d{0,3}|bytes\d{0,2}|u?fixed(?:\d+x\d+)?|address|bool|string|mapping|function)$/;

const MAX_KEPT = 8 << 20;
const kept = new LruCache<string, Html>(MAX_KEPT, ({ text }) => text.length);

/** Marked tokens; the rest is plain text. An ordinary file of maximal length has a third of them. */
export const MAX_MARKED = 40_000;

/** Tokens between yields. */
const TURN = 256;

/** Highlights Solidity, Yul or JSON up to a length limit. */
export async function highlight(source: string): Promise<Html> {
  const key = hash("sha256", source);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = source.length > MAX_HIGHLIGHTED_LENGTH ? await longText(source) : new Html(await mark(source));
  kept.set(key, made);
  return made;
}

async function mark(source: string): Promise<string> {
  const turn = new Turn();
  const text = await safeInTurns(source, turn);
  const parts: string[] = [];
  let [at, seen, marked] = [0, 0, 0];
  for (const found of text.matchAll(TOKEN)) {
    if (++seen % TURN === 0) await turn.yieldToEventLoop();
    const kind = kindOf(found);
    if (kind === undefined) continue;
    if (++marked > MAX_MARKED) break;
    const between = text.slice(at, found.index);
    parts.push(isLong(between) ? await escapeInTurns(between, turn) : escapeHtml(between));
    const word = isLong(found[0]) ? await escapeInTurns(found[0], turn) : escapeHtml(found[0]);
    parts.push(`<i class="${kind}">${word}</i>`);
    at = found.index + found[0].length;
  }
  parts.push(await escapeInTurns(text.slice(at), turn));
  return parts.join("");
}

function kindOf([token, comment, string, number]: RegExpExecArray): "c" | "s" | "n" | "k" | "t" | undefined {
  if (comment) return "c";
  if (string) return "s";
  if (number) return "n";
  if (KEYWORDS.has(token)) return "k";
  return TYPE.test(token) ? "t" : undefined;
}
