import type { TSchema } from "typebox";
import { ChainError } from "../../chain/error.ts";
import type { CacheScope } from "../../query/cacheScope.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Parameter } from "../openapi/operation.ts";
import type { Query } from "./parse.ts";

export interface ExchangeContext {
  readonly network: QueryContext;
  readonly chainId: number;
}

export interface ExchangeRequest {
  /** The only path parameter. */
  readonly parameter: string;
  readonly query: Query;
}

export interface ExchangeRoute {
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly schema: TSchema;
  /** A single record rather than a list. */
  readonly isRecord?: true;
  /** Cache lifetime of a response; by default until the index changes. */
  scopeOf?(response: object): CacheScope | undefined;
  serve(context: ExchangeContext, request: ExchangeRequest): Promise<object>;
}

export const DONE = { code: 0, success: true } as const;

export function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}
