import type { FastifyInstance, FastifyRequest } from "fastify";
import { findJsonFault, MAX_VALUES } from "../../jsonrpc/jsonFault.ts";
import { Turn } from "../../std/async.ts";
import { refuseForeignText } from "./foreignBody.ts";
import { parseForm } from "./form.ts";
import { FormError, MAX_FIELDS, tooManyFields } from "./formError.ts";
import { parseMultipart } from "./multipart.ts";

export const MAX_FORM = 5 << 20;

type Pairs = (readonly [name: string, value: string])[];

/** Registers parsers for the types that `readForm` accepts. */
export function acceptForms(scope: FastifyInstance, bodyLimit = MAX_FORM): void {
  scope.removeAllContentTypeParsers();
  scope.addHook("onRequest", refuseForeignText);
  scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit }, (_, body, done) => done(null, body));
}

/** Fields of a body by its content type, defaulting to a URL-encoded form. */
export async function readForm({ body, headers }: Pick<FastifyRequest, "body" | "headers">): Promise<Pairs> {
  if (!Buffer.isBuffer(body) || body.length === 0) return [];
  const type = headers["content-type"];
  if (type?.startsWith("multipart/form-data")) return parseMultipart(body, type);
  const isJson = type?.includes("json") || /^\s*\{/.test(body.toString("latin1", 0, 100));
  return isJson ? readJson(body) : parseForm(body);
}

/** Other values than strings are serialized: clients send standard JSON input as an object. */
async function readJson(body: Buffer): Promise<Pairs> {
  const turn = new Turn();
  const text = new TextDecoder().decode(body);
  await turn.yieldToEventLoop();
  if (findJsonFault(text) !== undefined) throw new FormError(`A body of JSON has at most ${MAX_VALUES} values`, 413);
  await turn.yieldToEventLoop();
  const parsed = parseJson(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new FormError("The body must be a JSON object");
  }
  const entries = Object.entries(parsed);
  if (entries.length > MAX_FIELDS) throw tooManyFields();
  const spell = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  return entries.map(([name, value]) => [name, value === null ? "" : spell(value)]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormError("The body is not valid JSON");
  }
}
