import { isObjectType } from "graphql";
import type { TSchema } from "typebox";
import { ADAPTER_ROUTES } from "../../src/api/adapter/adapterRoutes.ts";
import { EXCHANGE_ROUTES } from "../../src/api/exchange/routes.ts";
import type { JsonSchema } from "../../src/api/openapi/document.ts";
import type { Parameter } from "../../src/api/openapi/operation.ts";
import { NULL_TODAY } from "../../src/api/openapi/values.ts";
import { submitOperations } from "../../src/api/rest/contracts/submitSource.ts";
import { pageParameters } from "../../src/api/rest/parameters.ts";
import { ROUTES } from "../../src/api/rest/routes.ts";
import { writeOperations } from "../../src/api/rest/writeRoutes.ts";
import { schemaOf } from "../../src/api/subgraph/schema.ts";
import { operationsOf } from "./operations.ts";

export const API_DOCUMENTS = [
  "docs/explorer-api.md",
  "docs/exchange-api.md",
  "docs/adapters.md",
  "docs/subgraphs.md",
  "docs/decoding.md",
  "docs/errors.md",
  "docs/operations.md",
];

type Row = Readonly<Record<string, string>>;

/** Expected table for a table and its position among those of its kind in the section. */
type Rewrite = (rows: readonly Row[], at: number) => readonly Row[];

/** A document with its tables written anew from the schemas of what the app serves. */
export function rewriteApiTables(text: string): string {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!);
  const parts = text.split(/^(?=#{1,6} )/m);
  return parts.map((part) => rewriteSection(part, /^#+ (.*)/.exec(part)?.[1] ?? "", titles)).join("");
}

function rewriteSection(part: string, title: string, titles: readonly string[]): string {
  const seen = new Map<string, number>();
  return part.replace(/(?:^\|.*\|\n)+/gm, (block) => {
    const [head, , ...lines] = block.trim().split("\n").map(cellsOf);
    const at = seen.get(head![0]!) ?? 0;
    seen.set(head![0]!, at + 1);
    const rewrite = rewriterOf(title, head!, titles);
    if (rewrite === undefined) return block;
    const rows = lines.map((cells) => Object.fromEntries(head!.map((name, column) => [name, cells[column] ?? ""])));
    return tableOf(head!, rewrite(rows, at));
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

function tableOf(head: readonly string[], rows: readonly Row[]): string {
  const lines = [head, ...rows.map((row) => head.map((name) => row[name]!))];
  const widths = head.map((_, column) => Math.max(3, ...lines.map((line) => line[column]!.length)));
  const [top, ...rest] = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column]!)));
  const rule = widths.map((width) => "-".repeat(width));
  return [top!, rule, ...rest].map((line) => `| ${line.join(" | ")} |\n`).join("");
}

export function sectionOf(title: string): string {
  return title === "Status" ? "Fields of `/status`" : title;
}

function rewriterOf(title: string, [first]: readonly string[], titles: readonly string[]): Rewrite | undefined {
  if (title === "Explorer REST API" && first === "Path") return pathRows;
  if (title === "Requests to exchanges" && first === "Parameter") return exchangeParameterRows;
  if (title === "Exchange data API" && first === "Path") return exchangeRows;
  if (title === "Adapters for listing programs" && first === "Path") return adapterRows;
  if (title === "Adapters for listing programs" && first === "Parameter") return adapterParameterRows;
  if (title === "List" && first === "Parameter") return () => pageParameters().map(parameterRow);
  if (title === "Other parameters" && first === "Parameter") return otherRows;
  if (title === "What is null today" && first === "Field") return () => nullRows(titles);
  const entity = /^(\w+) of (V[23])$/.exec(title);
  if (entity !== null && first === "Field") return () => entityRows(entity[1]!, entity[2] === "V2" ? "v2" : "v3");
  const record = first === "Field" ? recordOf(title) : undefined;
  return record && ((rows, at) => fieldRows(record, rows, at));
}

function pathRows(): Row[] {
  const forms = [...submitOperations("/api/v2"), ...writeOperations("/api/v2")].map(({ method, path, summary }) => ({
    path,
    summary: `with \`${method.toUpperCase()}\`: ${summary}`,
  }));
  const reads = ROUTES.map(({ path, summary }) => ({ path: `/api/v2${path}`, summary }));
  return [...reads, ...forms].map(({ path, summary }) => ({ Path: `\`${path}\``, Returns: summary }));
}

const exchangeRows = () => routeRows(EXCHANGE_ROUTES, "/api/v1");
const adapterRows = () => routeRows(ADAPTER_ROUTES, "");

/** Fields of an entity of a subgraph. */
function entityRows(name: string, kind: "v2" | "v3"): Row[] {
  const type = schemaOf(kind).getType(name);
  if (!isObjectType(type)) throw new Error(`there is no entity ${name} of ${kind}`);
  return Object.values(type.getFields()).map(({ name: field, type: of, description }) => {
    return { Field: `\`${field}\``, Type: `\`${of}\``, Meaning: description! };
  });
}

type ListedRoute = Pick<(typeof EXCHANGE_ROUTES)[number], "path" | "parameters" | "summary">;

function routeRows(routes: readonly ListedRoute[], prefix: string): Row[] {
  return routes.map(({ path, parameters, summary }) => ({
    Path: `\`${prefix}${path}\``,
    Parameters: parameters.flatMap((one) => (one.in === "path" ? [] : [`\`${one.name}\``])).join(", "),
    Returns: summary,
  }));
}

/** Meaning of a parameter of the exchange data API where it first appears; pages of whole lists are described in prose. */
function exchangeParameterRows(): Row[] {
  const all = EXCHANGE_ROUTES.flatMap(({ parameters }) => parameters).filter((one) => one.in === "query");
  const byName = new Map(all.toReversed().map((one) => [one.name, one]));
  for (const one of all) if ((one.schema as JsonSchema).default !== undefined) byName.set(one.name, one);
  return [...byName.values()].reverse().map(parameterRow);
}

function adapterParameterRows(): Row[] {
  const all = ADAPTER_ROUTES.flatMap(({ parameters }) => parameters);
  return [...new Map(all.map((one) => [one.name, one])).values()].map(parameterRow);
}

function parameterRow({ name, schema }: Parameter): Row {
  const { default: preset, description } = schema as JsonSchema;
  return { Parameter: `\`${name}\``, Default: preset === undefined ? "" : String(preset), Meaning: description! };
}

function otherRows(): Row[] {
  const parameters = [...new Set(ROUTES.flatMap((route) => route.parameters ?? []))];
  return parameters.map((parameter) => {
    const takers = ROUTES.filter((route) => route.parameters?.includes(parameter));
    return { ...parameterRow(parameter), Paths: takers.map(({ path }) => `\`${path}\``).join(", ") };
  });
}

export const RECORDS: ReadonlyMap<string, JsonSchema> = collectRecords();

function collectRecords(): Map<string, JsonSchema> {
  const records = new Map<string, JsonSchema>();
  const walk = (schema: JsonSchema) => {
    if (schema.title !== undefined) records.set(schema.title, schema);
    const { properties = {}, items, anyOf = [], allOf = [] } = schema;
    for (const inner of [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...allOf]) walk(inner);
  };
  const schemas = operationsOf({ compat: "none" }, true).flatMap(({ answers }) => Object.values(answers));
  for (const { schema } of schemas) if (schema !== undefined) walk(schema as JsonSchema & TSchema);
  return records;
}

function recordOf(section: string): JsonSchema | undefined {
  for (const [title, record] of RECORDS) if (sectionOf(title) === section) return record;
  return undefined;
}

/** The first table has what every record has; each further one, what it lists of that which only some have. */
function fieldRows(record: JsonSchema, rows: readonly Row[], at: number): Row[] {
  const names = Object.keys(record.properties!);
  const isAlways = (name: string) => record.required!.includes(name);
  if (at === 0) return names.filter(isAlways).map((name) => fieldRow(name, record.properties![name]!));
  const listed = rows.map((row) => row.Field!.replaceAll("`", ""));
  return names
    .filter((name) => !isAlways(name) && listed.includes(name))
    .map((name) => fieldRow(name, record.properties![name]!));
}

function fieldRow(name: string, schema: JsonSchema): Row {
  const type = typeOf(schema);
  const meaning = type === "null" ? "[null today](#what-is-null-today)" : schema.description!;
  return { Field: `\`${name}\``, Type: type, Meaning: meaning };
}

function typeOf(schema: JsonSchema): string {
  const { anyOf, type } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (type === "integer") return "number";
  return type ?? "any";
}

function nullRows(titles: readonly string[]): Row[] {
  return titles.flatMap((title) => {
    const fields = Object.entries(RECORDS.get(title)?.properties ?? {});
    const nulls = new Map(fields.flatMap(([name, schema]) => nullsIn(name, schema)));
    return [...nulls].map(([name, reason]) => ({ Field: `\`${name}\``, Record: title.toLowerCase(), Reason: reason }));
  });
}

/** The fields that are always null, with their reasons: this one, or those of an object that is no record of its own. */
function nullsIn(name: string, { type, title, description, properties = {}, anyOf = [] }: JsonSchema): Nulls {
  if (type === "null") return [[name, description!.slice(NULL_TODAY.length)]];
  if (title !== undefined) return [];
  const inner = Object.entries(properties).flatMap(([field, schema]) => nullsIn(`${name}.${field}`, schema));
  return [...inner, ...anyOf.filter((one) => one.type !== "null").flatMap((one) => nullsIn(name, one))];
}

type Nulls = [name: string, reason: string][];
