import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FastifyInstance } from "fastify";
import type { OpenApiDocument } from "../../src/api/openapi/document.ts";

const OF_HTTP = new Set([304, 405, 414, 429, 500]);

/** Validates responses against the schemas of an OpenAPI document. */
export function answerChecker(document: OpenApiDocument) {
  const ajv = new Ajv2020({ allErrors: false, allowUnionTypes: true });
  ajv.addVocabulary(["openapi", "info", "servers", "tags", "paths", "components"]);
  ajv.addSchema({ ...document, $id: "api" });
  const compiled = new Map<string, ReturnType<typeof ajv.getSchema>>();
  const schemaAt = (path: string, status: number) => {
    const key = `${status} ${path}`;
    if (compiled.has(key)) return compiled.get(key);
    const steps = ["paths", path, "get", "responses", String(status), "content", "application/json", "schema"];
    const schema = ajv.getSchema(`api#/${steps.map(escaped).join("/")}`);
    compiled.set(key, schema);
    return schema;
  };
  return (path: string, status: number, body: unknown): string | undefined => {
    const validate = schemaAt(path, status);
    if (validate === undefined) return `${path} is not documented to answer ${status}`;
    return validate(body) ? undefined : `${path} ${status}: ${validate.errors!.map(worded).join("; ")}`;
  };
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function worded({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === "" ? "/" : instancePath} ${message} ${JSON.stringify(params)}`;
}

/** Validates every JSON response of an app against `/openapi.json`; the returned function fails if one was invalid. */
export function checkAnswers(app: FastifyInstance): () => void {
  const wrong: string[] = [];
  let check: ReturnType<typeof answerChecker> | undefined;
  app.addHook("onSend", async ({ method, routeOptions: { url } }, reply, payload) => {
    const path = url?.replace(/:(\w+)/g, "{$1}");
    if (path === undefined || method !== "GET" || !isChecked(path, reply.statusCode)) return payload;
    if (!/json/.test(String(reply.getHeader("content-type")))) return payload;
    check ??= await readDocument(app);
    const fault = check(path, reply.statusCode, JSON.parse(payload as string));
    if (fault !== undefined) wrong.push(fault);
    return payload;
  });
  return () => {
    if (wrong.length > 0) throw new Error(wrong.splice(0).slice(0, 5).join("\n"));
  };
}

function isChecked(path: string, status: number): boolean {
  return (path.startsWith("/api/") || /^\/(health|ready|status)$/.test(path)) && !OF_HTTP.has(status);
}

const checkers = new Map<string, ReturnType<typeof answerChecker>>();

/** Most apps have the same document: it is compiled once. */
async function readDocument(app: FastifyInstance) {
  const { body } = await app.inject({ method: "GET", url: "/openapi.json" });
  const known = checkers.get(body);
  if (known !== undefined) return known;
  const checker = answerChecker(JSON.parse(body) as OpenApiDocument);
  checkers.set(body, checker);
  return checker;
}
