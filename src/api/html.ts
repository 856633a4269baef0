const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const SPECIAL = /[&<>"']/;

export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign) : text;
}

/** Markup. Only the templates of this program make it, so that nothing that comes from a chain or a request is taken for it. */
export class Html {
  readonly text: string;

  /** For `html` and for what a library renders. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** What a template can hold. Nothing is written for what is absent. */
export type Content = Html | string | number | bigint | null | undefined | false | readonly Content[];

/** Markup with values in it. Values are escaped, in text and in quoted attributes alike, unless they are markup. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = parts[0]!;
  for (let at = 0; at < values.length; at++) text += write(values[at]) + parts[at + 1]!;
  return new Html(text);
}

function write(content: Content): string {
  if (typeof content === "string") return escapeHtml(content);
  if (content instanceof Html) return content.text;
  if (content === null || content === undefined || content === false) return "";
  if (typeof content !== "object") return String(content);
  let text = "";
  for (const each of content) text += write(each);
  return text;
}
