import type { IncomingHttpHeaders } from "node:http";
import type { TProperties, TSchema } from "typebox";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { Operation, Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import type { Shape } from "../openapi/values.ts";
import { arrayOf } from "../openapi/values.ts";
import type { AppSettings, Compat } from "../settings.ts";
import { shapeList } from "./blockscoutLists.ts";
import type { Envelope } from "./envelope.ts";
import type { ErrorStatus } from "./errorSchema.ts";
import { ERROR_SCHEMAS } from "./errorSchema.ts";
import { ListSchema } from "./listSchema.ts";
import { CSV_PARAMETERS, PATH_PARAMETERS, pageParameters } from "./parameters.ts";
import type { Query } from "./params.ts";
import { ParameterError } from "./params.ts";

export const REST_PREFIX = "/api/v2";

/** Records that are not indexed are fetched from the node, which may not know them or fail. */
export const ASKS_THE_NODE = [404, 502, 503] as const;

export interface RestContext {
  readonly network: QueryContext;
  readonly settings: Pick<AppSettings, "version" | "compat" | "chainId">;
  /** Undefined if verification is disabled. */
  readonly verifier?: Verifier | undefined;
}

export interface RestRequest {
  /** First path parameter. */
  readonly parameter: string;
  /** Second path parameter: a token id. */
  readonly item: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

/** Parses, queries, presents. */
type Serve<T extends object> = (context: RestContext, request: RestRequest) => Promise<T>;

interface Path {
  /** Below the prefix. */
  readonly path: string;
  readonly tag: string;
  /** For the documents. */
  readonly summary: string;
  /** Beside path and page parameters. */
  readonly parameters?: readonly Parameter[];
  /** Beside 422. */
  readonly fails?: readonly ErrorStatus[];
  /** Defaults by record or list. */
  readonly cost?: number;
}

interface ListPath extends Path {
  /** Blockscout's clients expect no envelope. */
  readonly isBare?: boolean;
  /** Default size without an envelope. */
  readonly bareSize?: number;
  /** Additional envelope fields. */
  readonly extra?: TProperties;
}

/** A path of the explorer REST API. */
export interface Route extends ListPath {
  /** Of the record, or of the list's items. */
  readonly schema: TSchema;
  readonly isList: boolean;
  readonly serve: Serve<object>;
  /** Undefined for records. */
  readonly servePage?: Serve<Envelope<object>>;
}

export function recordRoute<S extends TSchema>(
  path: Path & { readonly record: S; readonly serve: Serve<Shape<S> & object> },
): Route {
  const { record, ...route } = path;
  return { ...route, schema: record, isList: false };
}

export function listRoute<S extends TSchema>(
  path: ListPath & { readonly list: S; readonly serve: Serve<Envelope<Shape<S>>> },
): Route {
  const { list, serve: serveList, ...route } = path;
  const known = new Set(path.parameters?.map(({ name }) => name));
  const serve: typeof serveList = (context, request) => {
    refuseUnknown(request.query, known);
    return serveList(context, request);
  };
  const serveBare: Serve<object> = async (context, request) =>
    shapeList(await serve(context, request), context.settings);
  return { ...route, schema: list, isList: true, serve: path.isBare ? serveBare : serve, servePage: serve };
}

const FILTERS = ["type", "filter", "sort", "order"];

/** An unknown filter or order must not silently return the whole list. */
function refuseUnknown(query: Query, known: ReadonlySet<string>): void {
  for (const name of FILTERS) {
    if (query[name] === undefined || query[name] === "" || known.has(name)) continue;
    throw new ParameterError(name, `no ${name}: this list has none`);
  }
}

/** OpenAPI operation of a route. */
export function describeRoute(route: Route, compat: Compat = "none"): Operation {
  const { path, tag, summary, isList, bareSize, fails = [] } = route;
  const parameters = [
    ...[...path.matchAll(/([\w-]+)\/\{/g)].flatMap(([, before = ""]) => PATH_PARAMETERS[before] ?? []),
    ...(route.parameters ?? []),
    ...(isList ? pageParameters(compat === "blockscout" ? bareSize : undefined) : []),
  ];
  const failures = [...(parameters.some((one) => one.in !== "header") ? [422 as const] : []), ...fails];
  return {
    method: "get",
    path: `${REST_PREFIX}${path}`,
    tag,
    summary,
    parameters,
    answers: {
      200: { description: "The requested data.", schema: answerOf(route, compat) },
      ...Object.fromEntries(failures.map((status) => [status, ERROR_SCHEMAS[status]])),
    },
  };
}

/** OpenAPI operation of its CSV export. */
export function describeCsv(route: Route): Operation {
  const { path, parameters, answers, ...operation } = describeRoute(route);
  const ofPages = new Set(pageParameters().map(({ name }) => name));
  return {
    ...operation,
    path: `${path}/csv`,
    summary: `${route.summary}, as [CSV](#csv)`,
    parameters: [...parameters.filter(({ name }) => !ofPages.has(name)), ...CSV_PARAMETERS],
    answers: { ...answers, 200: { description: "The list as comma-separated values.", type: "text/csv" } },
  };
}

function answerOf({ schema, isList, isBare, extra }: Route, compat: Compat): TSchema {
  if (!isList) return schema;
  if (isBare && compat === "blockscout") return Type.Array(schema);
  if (extra !== undefined) {
    const items = arrayOf(schema, "the records of this page");
    return Type.Object({ ...ListSchema.properties, ...extra, items }, { additionalProperties: false });
  }
  return Type.Intersect([ListSchema, Type.Object({ items: arrayOf(schema, "the records of this page") })]);
}
