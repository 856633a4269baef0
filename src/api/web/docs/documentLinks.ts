/** Of the index of all documents. */
export const DOCS_PATH = "/docs";

/** Path of the page of a file in docs/. A README is the page of its folder. */
export function pathOf(file: string): string {
  return `${DOCS_PATH}/${file.replace(/\.md$/, "")}`.replace(/\/README$/, "");
}

/** Resolves a link in a file of docs/ to a page, an image or another site. Files outside docs/ have no page. */
export function resolveLink(file: string, target: string, paths: ReadonlySet<string>): string | undefined {
  if (/^https?:/.test(target)) return target;
  if (!URL.canParse(target, "file:///")) return undefined;
  const { protocol, pathname, hash } = new URL(target, `file:///docs/${file}`);
  if (protocol !== "file:" || !pathname.startsWith("/docs/")) return undefined;
  const named = pathname.slice("/docs/".length).replace(/\/$/, "");
  if (named.startsWith("images/")) return `${DOCS_PATH}/${named}`;
  const path = pathOf(named);
  return paths.has(path) ? `${path}${hash}` : undefined;
}
