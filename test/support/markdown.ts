import { readFileSync } from "node:fs";

export type Table = readonly Readonly<Record<string, string>>[];

export interface Section {
  readonly title: string;
  readonly text: string;
  readonly tables: readonly Table[];
  code(language: string): string[];
}

/** The sections of a document by their titles; a section ends where the next title stands, of whatever level. */
export function readSections(path: string): ReadonlyMap<string, Section> {
  const parts = outsideCode(readFileSync(path, "utf8")).split(/^(?=#{1,6} )/m);
  const sections = parts.map((part) => {
    const text = insideCode(part);
    const title = /^#+ (.*)/.exec(text)?.[1] ?? "";
    return { title, text, tables: tablesIn(text), code: (language: string) => fences(text, language) };
  });
  return new Map(sections.map((section) => [section.title, section]));
}

/** A cell without the backquotes around it. */
export function plain(cell: string): string {
  return cell.replace(/^`(.*)`$/, "$1");
}

export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** In code a # is no title. */
const HASH = "\u0000";

function outsideCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, (fence) => fence.replace(/^#/gm, HASH));
}

function insideCode(text: string): string {
  return text.replaceAll(HASH, "#");
}

function fences(text: string, language: string): string[] {
  const found = text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm);
  return [...found].filter(([, name]) => name === language).map(([, , code]) => code!);
}

function tablesIn(text: string): Table[] {
  const blocks = text.match(/(?:^\|.*\|\n?)+/gm) ?? [];
  return blocks.map((block) => {
    const [head, , ...rows] = block.trim().split("\n").map(cellsOf);
    return rows.map((cells) => Object.fromEntries(head!.map((name, at) => [name, cells[at] ?? ""])));
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
