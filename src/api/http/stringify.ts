import { Turn } from "../../std/turn.ts";

/** Items that are stringified before others may have their turn. */
const AT_ONCE = 50;

/** The JSON of a response. A long list in it is made part by part, so that others have their turn. */
export async function stringify(response: object): Promise<string> {
  if (Array.isArray(response)) return stringifyItems(response, "[", "]");
  const fields = Object.entries(response);
  const at = fields.findIndex(([, value]) => Array.isArray(value) && value.length > AT_ONCE);
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
    parts.push(JSON.stringify(items.slice(at, at + AT_ONCE)).slice(1, -1));
    await turn.giveWay();
  }
  if (parts.length === 0) return begin + end;
  parts[0] = begin + parts[0];
  parts[parts.length - 1] += end;
  return parts.join(",");
}
