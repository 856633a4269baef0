import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { FastifyInstance } from "fastify";
import type { OpenApiDocument } from "../../src/api/openapi/document.ts";
import { UINT } from "../../src/api/openapi/values.ts";

const OF_HTTP = new Set([304, 405, 414, 429, 500]);

/** Validates responses against the schemas of an OpenAPI document. */
export function answerChecker(document: OpenApiDocument) {
  const ajv = documentAjv(document);
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

function documentAjv(document: OpenApiDocument): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: false,
    allowUnionTypes: true,
    formats: { [UINT]: /^(0|[1-9][0-9]*|0x(0|[1-9a-f][0-9a-f]*))$/ },
  });
  ajv.addVocabulary(["openapi", "info", "servers", "tags", "paths", "components"]);
  ajv.addSchema({ ...document, $id: "api" });
  return ajv;
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

function worded({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === "" ? "/" : instancePath} ${message} ${JSON.stringify(params)}`;
}

/** Validates results of the module/action API against the schemas of their actions. */
export function resultChecker(document: OpenApiDocument) {
  const ajv = documentAjv(document);
  const modules = document.paths["/api"]?.get?.["x-actions"] ?? {};
  const names = Object.entries(modules).flatMap(([module, actions]) =>
    Object.keys(actions).map((name) => [module, name]),
  );
  const byName = new Map(names.map(([module, name]) => [`${module} ${name}`.toLowerCase(), [module!, name!]]));
  return (query: URLSearchParams, { status, result }: Answer): string | undefined => {
    const found = byName.get(`${query.get("module")} ${query.get("action")}`.toLowerCase());
    if (found === undefined || status !== "1") return undefined;
    const steps = ["paths", "/api", "get", "x-actions", ...found, "result"];
    const validate = ajv.getSchema(`api#/${steps.map(escaped).join("/")}`)!;
    return validate(result) ? undefined : `${found.join(" ")}: ${validate.errors!.map(worded).join("; ")}`;
  };
}

interface Answer {
  readonly status?: unknown;
  readonly result?: unknown;
}

/** Validates every JSON response of an app against `/openapi.json`; the returned function fails if one was invalid. */
export function checkAnswers(app: FastifyInstance): () => void {
  const wrong: string[] = [];
  let check: Awaited<ReturnType<typeof readDocument>> | undefined;
  app.addHook("onSend", async ({ method, url, routeOptions }, reply, payload) => {
    const path = routeOptions.url?.replace(/:(\w+)/g, "{$1}");
    if (path === undefined || method !== "GET" || !isChecked(path, reply.statusCode)) return payload;
    if (!/json/.test(String(reply.getHeader("content-type")))) return payload;
    check ??= await readDocument(app);
    const fault = check(path, reply.statusCode, url, JSON.parse(payload as string));
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

type Check = (path: string, status: number, url: string, body: unknown) => string | undefined;

const checkers = new Map<string, Check>();

/** Most apps have the same document: it is compiled once. */
async function readDocument(app: FastifyInstance): Promise<Check> {
  const { body } = await app.inject({ method: "GET", url: "/openapi.json" });
  const known = checkers.get(body);
  if (known !== undefined) return known;
  const document = JSON.parse(body) as OpenApiDocument;
  const [checkAnswer, checkResult] = [answerChecker(document), resultChecker(document)];
  const check: Check = (path, status, url, body) => {
    const fault = checkAnswer(path, status, body);
    const isAction = path === "/api" || path === "/api/v1";
    return fault ?? (isAction ? checkResult(new URL(url, "http://-").searchParams, body as Answer) : undefined);
  };
  checkers.set(body, check);
  return check;
}
