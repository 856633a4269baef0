/** A part of a document. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "table"; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

const HEADING = /^(#{1,6}) +(.*?) *#*$/;
const FENCE = /^(`{3,})(\w*)/;
const ITEM = /^([-*+]|\d{1,9}[.)])( +)(?=\S)/;
const QUOTE = /^> ?/;
const TABLE = /^\|.*\|\s*$/;
const TABLE_RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

/** The subset of GitHub's Markdown that docs/ is written in. Other markup is text of a paragraph. */
export function parseBlocks(text: string): Block[] {
  return parseLines(text.split("\n"));
}

type Found = readonly [block: Block, end: number];

function parseLines(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]!.trim() === "") {
      at++;
      continue;
    }
    const [block, end] = parseBlock(lines, at);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function parseBlock(lines: readonly string[], at: number): Found {
  const line = lines[at]!;
  const heading = HEADING.exec(line);
  if (heading !== null) return [{ kind: "heading", level: heading[1]!.length, text: heading[2]! }, at + 1];
  if (FENCE.test(line)) return parseCode(lines, at);
  if (QUOTE.test(line)) return parseQuote(lines, at);
  if (ITEM.test(line)) return parseList(lines, at);
  if (beginsTable(lines, at)) return parseTable(lines, at);
  return parseParagraph(lines, at);
}

function beginsTable(lines: readonly string[], at: number): boolean {
  return TABLE.test(lines[at]!) && TABLE_RULE.test(lines[at + 1] ?? "");
}

function parseCode(lines: readonly string[], at: number): Found {
  const [, fence = "", language = ""] = FENCE.exec(lines[at]!)!;
  const end = endOf(lines, at + 1, (line) => !line.startsWith(fence));
  return [{ kind: "code", language, text: lines.slice(at + 1, end).join("\n") }, end + 1];
}

function parseQuote(lines: readonly string[], at: number): Found {
  const end = endOf(lines, at, (line) => QUOTE.test(line));
  const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [{ kind: "quote", blocks: parseLines(quoted) }, end];
}

/** An item goes on in lines that are indented as its text is, and its paragraph in lines that begin no other block. */
function parseList(lines: readonly string[], from: number): Found {
  const isOrdered = (line: string) => /^\d/.test(line);
  const start = isOrdered(lines[from]!) ? Number.parseInt(lines[from]!, 10) : undefined;
  const items: (readonly Block[])[] = [];
  let at = from;
  while (at < lines.length && ITEM.test(lines[at]!) && isOrdered(lines[at]!) === (start !== undefined)) {
    const indent = ITEM.exec(lines[at]!)![0].length;
    const isIndented = (line: string) => line.slice(0, indent).trim() === "" && line.trim() !== "";
    const goesOn = (line: string, number: number) =>
      isIndented(line) ||
      (line.trim() === "" ? isIndented(lines[number + 1] ?? "") : isLazy(lines, number) && lines[number - 1] !== "");
    const end = endOf(lines, at + 1, goesOn);
    const [first = "", ...rest] = lines.slice(at, end);
    const own = rest.map((line) => (isIndented(line) ? line.slice(indent) : line));
    items.push(parseLines([first.slice(indent), ...own]));
    at = nextItem(lines, end);
  }
  return [{ kind: "list", start, items }, at];
}

/** Whether a line can only continue a paragraph. */
function isLazy(lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  return ![HEADING, FENCE, QUOTE, ITEM].some((begin) => begin.test(line)) && !beginsTable(lines, at);
}

/** Items may be apart. */
function nextItem(lines: readonly string[], at: number): number {
  const next = endOf(lines, at, (line) => line.trim() === "");
  return next > at && ITEM.test(lines[next] ?? "") ? next : at;
}

function parseTable(lines: readonly string[], at: number): Found {
  const end = endOf(lines, at, (line) => TABLE.test(line));
  const [head = [], , ...rows] = lines.slice(at, end).map(cellsOf);
  return [{ kind: "table", head, rows: rows.map((row) => head.map((_, column) => row[column] ?? "")) }, end];
}

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function parseParagraph(lines: readonly string[], at: number): Found {
  const end = endOf(lines, at + 1, (line, number) => line.trim() !== "" && isLazy(lines, number));
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join("\n");
  return [{ kind: "paragraph", text }, end];
}

/** The first line from a place on for which something does not hold. */
function endOf(lines: readonly string[], from: number, holds: (line: string, at: number) => boolean): number {
  let at = from;
  while (at < lines.length && holds(lines[at]!, at)) at++;
  return at;
}
