import type { IncomingHttpHeaders } from "node:http";
import type { TProperties, TSchema } from "typebox";
import { Type } from "typebox";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { Operation, Parameter } from "../openapi/operation.ts";
import type { Shape } from "../openapi/values.ts";
import { arrayOf } from "../openapi/values.ts";
import type { AppSettings, Compat } from "../settings.ts";
import { shapeList } from "./blockscoutLists.ts";
import type { Envelope } from "./envelope.ts";
import type { Failure } from "./errorSchema.ts";
import { FAILURES } from "./errorSchema.ts";
import { ListSchema } from "./listSchema.ts";
import { CSV_PARAMETERS, PATH_PARAMETERS, pageParameters } from "./parameters.ts";
import type { Query } from "./params.ts";
import { ParameterError } from "./params.ts";

export const REST_PREFIX = "/api/v2";

/** What is not indexed is asked of the node, which may not know it, not answer or refuse. */
export const ASKS_THE_NODE = [404, 502, 503] as const;

/** What every handler works with. */
export interface RestContext {
  readonly network: QueryContext;
  readonly settings: Pick<AppSettings, "version" | "compat" | "chainId">;
  /** Undefined where no sources are verified. */
  readonly verifier?: Verifier | undefined;
}

/** What a handler is given of a request. */
export interface RestRequest {
  /** The first parameter of the path. */
  readonly parameter: string;
  /** The second one: the id of an instance. */
  readonly item: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

/** Parses, asks, presents. */
type Serve<T extends object> = (context: RestContext, request: RestRequest) => Promise<T>;

interface Path {
  /** Below the prefix. */
  readonly path: string;
  readonly tag: string;
  /** What it answers, as the documents say it. */
  readonly summary: string;
  /** Beside those of the path and those of a page. */
  readonly parameters?: readonly Parameter[];
  /** Beside 422, which every parameter may have. */
  readonly fails?: readonly Failure[];
  /** What a request costs, where that is not what records and lists do. */
  readonly cost?: number;
}

interface ListPath extends Path {
  /** Clients of Blockscout expect this list without its envelope. */
  readonly isBare?: boolean;
  /** Items that they expect of it where they ask for no other size. */
  readonly bareSize?: number;
  /** What its envelope has beside that of other lists. */
  readonly beside?: TProperties;
}

/** A path of the explorer REST API: what it answers, what it takes, and who answers it. */
export interface Route extends ListPath {
  /** The answer, or what the answer is a page of. */
  readonly schema: TSchema;
  readonly isList: boolean;
  readonly serve: Serve<object>;
  /** A page of the list with its envelope; undefined for what is no list. */
  readonly servePage?: Serve<Envelope<object>>;
}

/** A path that answers one record. */
export function recordRoute<S extends TSchema>(
  path: Path & { readonly record: S; readonly serve: Serve<Shape<S> & object> },
): Route {
  const { record, ...route } = path;
  return { ...route, schema: record, isList: false };
}

/** A path that answers a page of a list. */
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

/** Who asks for a part of a list, or for another order, must not get all of it in the usual one. */
function refuseUnknown(query: Query, known: ReadonlySet<string>): void {
  for (const name of FILTERS) {
    if (query[name] === undefined || query[name] === "" || known.has(name)) continue;
    throw new ParameterError(name, `no ${name}: this list has none`);
  }
}

/** What the path of a route looks like from outside. */
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
      ...Object.fromEntries(failures.map((status) => [status, FAILURES[status]])),
    },
  };
}

/** What a list looks like as a file. */
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

function answerOf({ schema, isList, isBare, beside }: Route, compat: Compat): TSchema {
  if (!isList) return schema;
  if (isBare && compat === "blockscout") return Type.Array(schema);
  if (beside !== undefined) {
    const items = arrayOf(schema, "the records of this page");
    return Type.Object({ ...ListSchema.properties, ...beside, items }, { additionalProperties: false });
  }
  return Type.Intersect([ListSchema, Type.Object({ items: arrayOf(schema, "the records of this page") })]);
}
