/** Characters that start a formula in spreadsheets, including full-width forms. */
const FORMULA = /^[=+\-@|\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NEGATIVE = /^-\d+(\.\d+)?$/;
const QUOTED = /[",\r\n]/;

/** RFC 4180. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(",")}\r\n`;

/** Prefixes an apostrophe to would-be formulas other than plain numbers. */
export function csvCell(value: unknown): string {
  const plain = textOf(value);
  const text = FORMULA.test(plain) && !NEGATIVE.test(plain) ? `'${plain}` : plain;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isPlain ? value.join(";") : JSON.stringify(value);
}
