import { escapeHtml } from "../html.ts";

export function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Capitalizes a table summary. */
export function sentence(text: string): string {
  const capital = text.startsWith("`") ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
  return prose(/[.!?]$/.test(capital) ? capital : `${capital}.`);
}
