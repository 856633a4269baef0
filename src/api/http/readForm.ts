import { HttpError } from "./failure.ts";
import { parseForm } from "./form.ts";

/** Room for the sources of a large contract. */
export const LARGEST_FORM = 5 << 20;

/** A body that cannot be read. */
export class FormError extends HttpError {
  constructor(message: string) {
    super(400);
    this.message = message;
  }
}

type Pairs = (readonly [string, string])[];

/** The pairs of a body, by what it says it is. Without a type it is a form where it is anything. */
export async function readForm(body: Uint8Array, type: string | undefined): Promise<Pairs> {
  if (body.length === 0) return [];
  if (type?.startsWith("multipart/form-data")) return readMultipart(body, type);
  const isJson = type?.includes("json") || /^\s*\{/.test(Buffer.from(body.subarray(0, 100)).toString("latin1"));
  return isJson ? readJson(new TextDecoder().decode(body)) : parseForm(body);
}

async function readMultipart(body: Uint8Array, type: string): Promise<Pairs> {
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => {
    throw new FormError("The form cannot be read");
  });
  const text = async (value: string | File) => (typeof value === "string" ? value : value.text());
  return Promise.all([...form].map(async ([name, value]) => [name, await text(value)] as const));
}

/** Values that are no text are written as JSON does, as the standard input of a compiler that came as an object. */
function readJson(text: string): Pairs {
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new FormError("The body must be a JSON object");
  }
  const spell = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return Object.entries(parsed).map(([name, value]) => [name, value === null ? "" : spell(value)]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormError("The body is not valid JSON");
  }
}
