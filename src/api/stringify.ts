import { Turn } from "../chain/turn.ts";

/** Items that are stringified before others may have their turn. */
const AT_ONCE = 50;

/** The JSON of an answer. That of a long page is made part by part, so that others have their turn. */
export async function stringify(answer: object): Promise<string> {
  if (Array.isArray(answer)) return `[${await stringifyItems(answer)}]`;
  const { items, ...rest } = answer as { readonly items?: unknown };
  const isPage = Array.isArray(items) && Object.keys(answer)[0] === "items" && Object.keys(rest).length > 0;
  return isPage ? `{"items":[${await stringifyItems(items)}],${JSON.stringify(rest).slice(1)}` : JSON.stringify(answer);
}

async function stringifyItems(items: readonly unknown[]): Promise<string> {
  const parts: string[] = [];
  const turn = new Turn();
  for (let at = 0; at < items.length; at += AT_ONCE) {
    parts.push(JSON.stringify(items.slice(at, at + AT_ONCE)).slice(1, -1));
    await turn.giveWay();
  }
  return parts.join(",");
}
