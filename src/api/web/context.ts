import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { Page, Redirect, Site } from "./page.ts";
import type { Query } from "./params.ts";

/** What every page is made from. */
export interface WebContext {
  readonly network: QueryContext;
  readonly site: Site;
  /** Undefined where no sources are verified. */
  readonly verifier?: Verifier | undefined;
}

export interface WebRequest {
  /** The one parameter of the path. */
  readonly parameter: string;
  readonly query: Query;
}

/** Parses, asks, renders. */
export interface WebRoute {
  /** As fastify has it. */
  readonly path: string;
  readonly serve: (context: WebContext, request: WebRequest) => Promise<Page | Redirect>;
}
