import type { IncomingHttpHeaders } from "node:http";
import type { TSchema } from "typebox";
import { Type } from "typebox";
import type { Context } from "../../query/context.ts";
import type { Operation, Parameter } from "../openapi/operation.ts";
import { arrayOf } from "../openapi/values.ts";
import type { Compat } from "../settings.ts";
import type { Failure } from "./errorSchema.ts";
import { FAILURES } from "./errorSchema.ts";
import { ListSchema } from "./listSchema.ts";
import { PATH_PARAMETERS, pageParameters } from "./parameters.ts";
import type { Query } from "./params.ts";

export const REST_PREFIX = "/api/v2";

/** What a handler is given of a request. */
interface Asked {
  /** The one parameter of the path. */
  readonly parameter: string;
  readonly query: Query;
  readonly headers: IncomingHttpHeaders;
}

/** A path of the explorer REST API: what it answers, what it takes, and who answers it. */
export interface Route {
  /** Below the prefix. */
  readonly path: string;
  readonly tag: string;
  /** What it answers, as the documents say it. */
  readonly summary: string;
  /** The answer; or, with `list`, what the answer is a page of. */
  readonly record?: TSchema;
  readonly list?: TSchema;
  /** Items on a page of the list, where nobody asks for another size. */
  readonly pageSize?: number;
  /** Clients of Blockscout expect this list without its envelope. */
  readonly isBare?: boolean;
  /** Beside those of the path and those of a page. */
  readonly parameters?: readonly Parameter[];
  /** Beside 422, which every parameter may have. */
  readonly fails?: readonly Failure[];
  readonly serve: (context: Context, asked: Asked) => Promise<object>;
}

/** What the path of a route looks like from outside. */
export function describeRoute(route: Route, compat: Compat = "none"): Operation {
  const { path, tag, summary, list, pageSize, fails = [] } = route;
  const parameters = [
    ...[...path.matchAll(/([\w-]+)\/\{/g)].map(([, before]) => PATH_PARAMETERS[before!]!),
    ...(route.parameters ?? []),
    ...(list === undefined ? [] : pageParameters(pageSize)),
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

function answerOf({ record, list, isBare }: Route, compat: Compat): TSchema {
  if (list === undefined) return record!;
  if (isBare && compat === "blockscout") return Type.Array(list);
  return Type.Intersect([ListSchema, Type.Object({ items: arrayOf(list, "the records of this page") })]);
}
