import type { TSchema } from "typebox";
import type { ActionForm, ActionForms, Answer, Operation, Parameter } from "./operation.ts";

/** The subset of JSON Schema 2020-12 that our schemas use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string;
}

export interface OpenApiAnswer {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true } & Required<Pick<OpenApiAnswer, "content">>;
  readonly responses: Readonly<Record<string, OpenApiAnswer>>;
  /** OpenAPI has no term for what one path serves by a parameter. */
  readonly "x-actions"?: Readonly<Record<string, Readonly<Record<string, OpenApiAction>>>>;
}

export type OpenApiAction = Omit<ActionForm, "result"> & { readonly result: JsonSchema };

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Info;
  readonly servers: readonly [{ readonly url: "/" }];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface Info {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** OpenAPI 3.1 document. Records become named components. */
export function openApiDocument(operations: readonly Operation[], info: Info): OpenApiDocument {
  const records = new Map<string, JsonSchema>();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, records) };
  }
  const byName = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/" }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { schemas: Object.fromEntries(byName) },
  };
}

/** Components in order of first use. */
type Records = Map<string, JsonSchema>;

function describe(operation: Operation, records: Records): OpenApiOperation {
  const { method, path, tag, summary, parameters, body, bodyType, answers, actions } = operation;
  return {
    operationId: operationId(method, path),
    tags: [tag],
    summary: withoutLinks(summary),
    parameters: parameters.map((parameter) => describeParameter(parameter, records)),
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(body, records, bodyType) } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer, records)]),
    ),
    ...(actions && { "x-actions": describeActions(actions, records) }),
  };
}

function describeActions(modules: ActionForms, records: Records): NonNullable<OpenApiOperation["x-actions"]> {
  const describe = ({ result, ...names }: ActionForm): OpenApiAction => ({ ...names, result: refer(result, records) });
  return mapValues(modules, (actions) => mapValues(actions, describe));
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function operationId(method: string, path: string): string {
  const words = path.replace("/api/v2", "").match(/\w+/g) ?? [];
  return method + words.map(capitalized).join("");
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function describeParameter({ required, schema, example, ...place }: Parameter, records: Records): OpenApiParameter {
  const { description = "", ...bare } = refer(schema, records);
  return {
    ...place,
    required: required ?? false,
    description,
    schema: bare,
    ...(example !== undefined && { example }),
  };
}

function describeAnswer({ description, schema, type }: Answer, records: Records): OpenApiAnswer {
  if (schema !== undefined) return { description: withoutLinks(description), content: contentOf(schema, records) };
  return {
    description: withoutLinks(description),
    ...(type && { content: { [type]: { schema: { type: "string" } } } }),
  };
}

function contentOf(schema: TSchema, records: Records, type = "application/json") {
  return { [type]: { schema: refer(schema, records) } };
}

/** Title without blanks. */
function recordName(title: string): string {
  return title.split(" ").map(capitalized).join("");
}

/** Replaces titled records by references. */
function refer(schema: JsonSchema, records: Records): JsonSchema {
  const { title, description, ...rest } = schema;
  const described = description === undefined ? {} : { description: withoutLinks(description) };
  if (title === undefined) return { ...referInside(rest, records), ...described };
  const name = recordName(title);
  // Registered before its fields, so that records are in order of first use.
  if (!records.has(name)) {
    records.set(name, {});
    records.set(name, { title, ...referInside(rest, records) });
  }
  return { $ref: `#/components/schemas/${name}`, ...described };
}

function referInside(schema: JsonSchema, records: Records): JsonSchema {
  const { properties, items, anyOf, allOf } = schema;
  const all = (schemas: readonly JsonSchema[]) => schemas.map((one) => refer(one, records));
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, refer(field, records)])),
    }),
    ...(items && { items: refer(items, records) }),
    ...(anyOf && { anyOf: all(anyOf) }),
    ...(allOf && { allOf: all(allOf) }),
  };
}

/** Links point into the Markdown documents. */
function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
