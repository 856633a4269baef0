import { parse } from "node:querystring";

/** A value, or all values of a name that comes more than once. */
type QueryValue = string | readonly string[];

/** The parameters of a URL. An empty one is absent, in every interface. */
export function parseQuery(text: string): Readonly<Record<string, QueryValue>> {
  const query: Record<string, QueryValue> = Object.create(null) as Record<string, QueryValue>;
  // The length of a URL bounds how many there are.
  for (const [name, value = ""] of Object.entries(parse(text, "&", "=", { maxKeys: 0 }))) {
    const [first, ...others] = [value].flat().filter((one) => one !== "");
    if (first !== undefined) query[name] = others.length === 0 ? first : [first, ...others];
  }
  return query;
}
