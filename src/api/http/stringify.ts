import { Turn } from "../../std/turn.ts";

/** Items that are stringified before others may have their turn. */
const AT_ONCE = 50;

/** The JSON of an answer. That of a long page is made part by part, so that others have their turn. */
export async function stringify(answer: object): Promise<string> {
  if (Array.isArray(answer)) return stringifyItems(answer, "[", "]");
  const { items, ...rest } = answer as { readonly items?: unknown };
  const isPage = Array.isArray(items) && Object.keys(answer)[0] === "items" && Object.keys(rest).length > 0;
  return isPage ? stringifyItems(items, '{"items":[', `],${JSON.stringify(rest).slice(1)}`) : JSON.stringify(answer);
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
