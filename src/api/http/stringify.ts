import { Turn } from "../../std/turn.ts";

/** Items that are stringified before others may have their turn. */
const AT_ONCE = 50;

/** The JSON of items that many responses have, made once. */
const texts = new WeakMap<object, string>();

/** Says that an item of lists will not change, and is worth being kept as text. */
export function constant<T extends object>(item: T): T {
  texts.set(item, JSON.stringify(item));
  return item;
}

/** The JSON of a response. A long list in it is made part by part, so that others have their turn. */
export async function stringify(response: object): Promise<string> {
  if (Array.isArray(response)) return stringifyItems(response, "[", "]");
  const fields = Object.entries(response);
  const at = fields.findIndex(([, value]) => Array.isArray(value) && (value.length > AT_ONCE || isKept(value[0])));
  const [name, items] = fields[at] ?? [];
  if (name === undefined) return JSON.stringify(response);
  const before = JSON.stringify(Object.fromEntries(fields.slice(0, at))).slice(0, -1);
  const after = JSON.stringify(Object.fromEntries(fields.slice(at + 1))).slice(1);
  const begin = `${before}${before === "{" ? "" : ","}${JSON.stringify(name)}:[`;
  return stringifyItems(items, begin, `]${after === "}" ? "" : ","}${after}`);
}

/** Between a beginning and an end, which are joined with the rest at once: a long text is not copied twice. */
async function stringifyItems(items: readonly unknown[], begin: string, end: string): Promise<string> {
  const parts: string[] = [];
  const turn = new Turn();
  for (let at = 0; at < items.length; at += AT_ONCE) {
    parts.push(stringifyPart(items.slice(at, at + AT_ONCE)));
    await turn.giveWay();
  }
  if (parts.length === 0) return begin + end;
  parts[0] = begin + parts[0];
  parts[parts.length - 1] += end;
  return parts.join(",");
}

function stringifyPart(items: readonly unknown[]): string {
  if (!items.some(isKept)) return JSON.stringify(items).slice(1, -1);
  return items.map((item) => (isKept(item) ? texts.get(item) : (JSON.stringify(item) ?? "null"))).join(",");
}

function isKept(item: unknown): item is object {
  return typeof item === "object" && item !== null && texts.has(item);
}
