import { parseForm } from "../http/form.ts";
import { ActionError } from "./answer.ts";

/** Names of one request, from the URL and from its body together. */
export const MOST_PARAMETERS = 100;

/**
 * The parameters of a request, wherever they stood: query, form or JSON. Names are found in any case, since clients
 * spell them as they like (`startblock`, `startBlock`); of a name that comes twice the first counts, and the URL before
 * the body. An empty value is an absent one.
 */
export class Parameters {
  readonly #values = new Map<string, string>();

  constructor(...sources: readonly Iterable<readonly [name: string, value: string]>[]) {
    for (const source of sources) {
      for (const [name, value] of source) this.#add(name.toLowerCase(), value);
    }
  }

  #add(name: string, value: string): void {
    if (value === "" || this.#values.has(name)) return;
    if (this.#values.size >= MOST_PARAMETERS) throw new ActionError("Too many query parameters");
    this.#values.set(name, value);
  }

  get(name: string): string | undefined {
    return this.#values.get(name.toLowerCase());
  }
}

type Pairs = (readonly [string, string])[];

/** The pairs of a body, by what it says it is. Without a type it is a form where it is anything. */
export async function readBody(body: Uint8Array, type: string | undefined): Promise<Pairs> {
  if (body.length === 0) return [];
  if (type?.startsWith("multipart/form-data")) return readMultipart(body, type);
  const isJson = type?.includes("json") || /^\s*\{/.test(Buffer.from(body.subarray(0, 100)).toString("latin1"));
  return isJson ? readJson(new TextDecoder().decode(body)) : parseForm(body);
}

async function readMultipart(body: Uint8Array, type: string): Promise<Pairs> {
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => {
    throw new ActionError("The form cannot be read");
  });
  const text = async (value: string | File) => (typeof value === "string" ? value : value.text());
  return Promise.all([...form].map(async ([name, value]) => [name, await text(value)] as const));
}

/** Values that are no text are written as JSON does, as the standard input of a compiler that came as an object. */
function readJson(text: string): Pairs {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new ActionError("The body must be a JSON object");
  }
  const spell = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return Object.entries(parsed).map(([name, value]) => [name, value === null ? "" : spell(value)]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ActionError("The body is not valid JSON");
  }
}
