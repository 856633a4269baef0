import { parse } from "node:querystring";

type QueryValue = string | readonly string[];

/** Empty parameters are absent in every interface. */
export function parseQuery(text: string): Readonly<Record<string, QueryValue>> {
  const query: Record<string, QueryValue> = Object.create(null) as Record<string, QueryValue>;
  // Bounded by the length of the URL.
  for (const [name, value = ""] of Object.entries(parse(text, "&", "=", { maxKeys: 0 }))) {
    const [first, ...others] = [value].flat().filter((one) => one !== "");
    if (first !== undefined) query[name] = others.length === 0 ? first : [first, ...others];
  }
  return query;
}
