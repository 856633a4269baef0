import { escapeHtml } from "../html.ts";

/** A sentence of the documents: what stands between backquotes is code. */
export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Summaries begin in the middle of a row of a table; here they are sentences. */
export function sentence(text: string): string {
  const said = text.startsWith("`") ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
  return prose(/[.!?]$/.test(said) ? said : `${said}.`);
}
