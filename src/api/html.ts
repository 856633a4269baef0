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

/** Trusted markup. Only templates of this program create it, so chain data is never taken for markup. */
export class Html {
  readonly text: string;

  /** For `html` and for rendered output of libraries. */
  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Nothing is written for null, undefined and false. */
export type Content = Html | string | number | bigint | null | undefined | false | readonly Content[];

/** Escapes values, in text and in quoted attributes, unless they are markup. */
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
