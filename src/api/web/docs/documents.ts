import { glob, readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defined } from "../../../std/values.ts";
import type { Html } from "../../html.ts";
import type { Block } from "./blocks.ts";
import { parseBlocks } from "./blocks.ts";
import { pathOf, resolveLink } from "./documentLinks.ts";
import { plainText } from "./inline.ts";
import { anchorsOf, renderBlocks } from "./markdown.ts";

const FOLDER = new URL("docs/", pathToFileURL(defined(findPackageJSON(import.meta.url))));

export const IMAGE_FOLDER = new URL("images/", FOLDER);

/** A heading and what follows, up to the next one. */
export interface Section {
  readonly title: string;
  readonly level: number;
  readonly anchor: string;
  readonly blocks: readonly Block[];
}

export interface Document {
  /** Of its page. */
  readonly path: string;
  readonly title: string;
  readonly sections: readonly Section[];
  body(): Html;
}

/** Documents that the index lists together. */
export interface DocumentGroup {
  readonly title: string;
  readonly entries: readonly { readonly path: string; readonly title: string }[];
}

export interface Documents {
  readonly all: readonly Document[];
  readonly groups: readonly DocumentGroup[];
  find(path: string): Document | undefined;
}

let loaded: Promise<Documents> | undefined;

/** Read when first asked for, and shared by all networks of the process. */
export function loadDocuments(): Promise<Documents> {
  loaded ??= readDocuments().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function readDocuments(): Promise<Documents> {
  const files = (await Array.fromAsync(glob("**/*.md", { cwd: fileURLToPath(FOLDER) }))).sort();
  const paths = new Set(files.map(pathOf));
  const all: Document[] = [];
  // One after another, so that requests are answered in between.
  for (const file of files) {
    const blocks = parseBlocks(await readFile(new URL(file, FOLDER), "utf8"));
    all.push(openDocument(pathOf(file), blocks, (target) => resolveLink(file, target, paths)));
  }
  const byPath = new Map(all.map((document) => [document.path, document]));
  return { all, groups: groupsOf(byPath.get(pathOf("README.md"))), find: (path) => byPath.get(path) };
}

function openDocument(
  path: string,
  blocks: readonly Block[],
  resolve: (target: string) => string | undefined,
): Document {
  const sections = sectionsOf(blocks);
  let rendered: Html | undefined;
  const body = () => {
    rendered ??= renderBlocks(blocks, resolve);
    return rendered;
  };
  return { path, title: sections[0]?.title ?? path, sections, body };
}

function sectionsOf(blocks: readonly Block[]): Section[] {
  const anchors = anchorsOf(blocks);
  const starts = blocks.flatMap((block, at) => (block.kind === "heading" ? [at] : []));
  return starts.map((start, at) => {
    const heading = blocks[start] as Extract<Block, { kind: "heading" }>;
    const { level, text } = heading;
    const anchor = level === 1 ? "" : anchors.get(heading)!;
    return { title: plainText(text), level, anchor, blocks: blocks.slice(start + 1, starts[at + 1]) };
  });
}

const ENTRY = /^\[([^\]]+)\]\(([^)\s]+)\)/;

/** A group is a list below a heading of the index, whose items begin with a link. */
function groupsOf(index: Document | undefined): DocumentGroup[] {
  const groups = (index?.sections ?? []).map(({ title, blocks }) => {
    const items = blocks.flatMap((block) => (block.kind === "list" ? block.items : []));
    const links = items.map(([first]) => (first?.kind === "paragraph" ? ENTRY.exec(first.text) : null));
    const entries = links.flatMap((link) => (link === null ? [] : [{ title: link[1]!, path: pathOf(link[2]!) }]));
    return { title, entries };
  });
  return groups.filter(({ entries }) => entries.length > 0);
}
