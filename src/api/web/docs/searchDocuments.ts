import type { Block } from "./blocks.ts";
import type { Document, Documents, Section } from "./documents.ts";
import { plainText } from "./inline.ts";

export interface DocumentResult {
  readonly document: Document;
  readonly section: Section;
  /** The part of its text that has the words. */
  readonly excerpt: string;
}

export const MAX_WORDS = 8;

const EXCERPT_LENGTH = 220;

/** Words as they are searched for. */
export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Sections that have all words in their titles or text, best first. */
export function searchDocuments(documents: Documents, words: readonly string[]): DocumentResult[] {
  if (words.length === 0) return [];
  const found = documents.all.flatMap((document) =>
    document.sections.flatMap((section) => {
      const score = scoreOf(document, section, words);
      return score === 0 ? [] : [{ document, section, score }];
    }),
  );
  found.sort((one, other) => other.score - one.score);
  return found.map(({ document, section }) => ({ document, section, excerpt: excerptOf(textOf(section).text, words) }));
}

/** A word counts most in a title; 0 if one is missing. */
function scoreOf(document: Document, section: Section, words: readonly string[]): number {
  const [own, above, { lower }] = [section.title.toLowerCase(), document.title.toLowerCase(), textOf(section)];
  let score = 0;
  for (const word of words) {
    const worth = (own.includes(word) ? 8 : 0) + (above.includes(word) ? 3 : 0) + (lower.includes(word) ? 1 : 0);
    if (worth === 0) return 0;
    score += worth;
  }
  return own === words.join(" ") ? score + 8 : score;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...(places.length > 0 ? places : [0])) - EXCERPT_LENGTH / 4);
  const from = start === 0 ? 0 : text.indexOf(" ", start) + 1;
  const end = from + EXCERPT_LENGTH;
  return `${from > 0 ? "… " : ""}${text.slice(from, end).trim()}${end < text.length ? " …" : ""}`;
}

interface SectionText {
  readonly text: string;
  readonly lower: string;
}

const texts = new WeakMap<Section, SectionText>();

function textOf(section: Section): SectionText {
  const known = texts.get(section);
  if (known !== undefined) return known;
  const text = section.blocks.map(blockText).join(" ").replace(/\s+/g, " ");
  const made = { text, lower: text.toLowerCase() };
  texts.set(section, made);
  return made;
}

function blockText(block: Block): string {
  if (block.kind === "heading" || block.kind === "paragraph") return plainText(block.text);
  if (block.kind === "code") return block.text;
  if (block.kind === "quote") return block.blocks.map(blockText).join(" ");
  if (block.kind === "list") return block.items.flat().map(blockText).join(" ");
  return [block.head, ...block.rows].map((row) => row.map(plainText).join(" ")).join(" ");
}
