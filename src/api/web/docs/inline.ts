import type { Html } from "../../html.ts";
import { html } from "../../html.ts";

/** Resolves the link of a document; undefined if it is shown as text. */
export type ResolveLink = (target: string) => string | undefined;

/** A span of code, an image, a link, strong or emphasized text, a line break, an escaped sign. */
const SPAN =
  /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)|\*\*((?:`[^`]*`|[^`])+?)\*\*|(?<!\w)_([^_]+)_(?!\w)|(<br>)|\\([!-/:-@[-`{-~])/g;

/** The text of a paragraph, a heading or a cell. Markup beyond the spans is text. */
export function renderInline(text: string, resolve: ResolveLink): Html {
  const parts: (string | Html)[] = [];
  let at = 0;
  for (const found of text.matchAll(SPAN)) {
    parts.push(text.slice(at, found.index), renderSpan(found, resolve));
    at = found.index + found[0].length;
  }
  return html`${parts}${text.slice(at)}`;
}

function renderSpan(found: RegExpExecArray, resolve: ResolveLink): string | Html {
  const [, code, alt, image, label, target, strong, emphasis, isBreak, escaped = ""] = found;
  if (code !== undefined) return html`<code>${code}</code>`;
  if (image !== undefined) return renderImage(alt ?? "", resolve(image));
  if (label !== undefined) return renderLink(renderInline(label, resolve), resolve(target ?? ""));
  if (strong !== undefined) return html`<strong>${renderInline(strong, resolve)}</strong>`;
  if (emphasis !== undefined) return html`<em>${renderInline(emphasis, resolve)}</em>`;
  return isBreak === undefined ? escaped : html`<br>`;
}

function renderImage(alt: string, source: string | undefined): string | Html {
  return source === undefined ? alt : html`<img src="${source}" alt="${alt}" loading="lazy">`;
}

function renderLink(label: Html, target: string | undefined): Html {
  return target === undefined ? label : html`<a href="${target}">${label}</a>`;
}

/** Without its markup, for titles and searches. */
export function plainText(text: string): string {
  return text.replace(SPAN, (_, code, alt, _image, label, _target, strong, emphasis, isBreak, escaped = "") => {
    const inner: string | undefined = label ?? strong ?? emphasis;
    if (inner !== undefined) return plainText(inner);
    return code ?? alt ?? (isBreak === undefined ? escaped : " ");
  });
}
