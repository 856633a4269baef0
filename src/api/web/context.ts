import type { FastifyRequest } from "fastify";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { WebSettings } from "../settings.ts";
import type { Page, Redirect, Site } from "./page.ts";
import type { Query } from "./params.ts";

/** What every page is made from. */
export interface WebContext {
  readonly network: QueryContext;
  readonly site: Site;
  /** Undefined where no sources are verified. */
  readonly verifier?: Verifier | undefined;
  /** What answers JSON-RPC. */
  readonly rpc?: RpcBackend | undefined;
  /** Of an embedded chain: the accounts that have coins from the start. */
  readonly accounts?: WebSettings["accounts"];
  /** Whether a request may use what is not for the public. */
  readonly isTrusted: (request: FastifyRequest) => Promise<boolean>;
}

export interface WebRequest {
  /** The first parameter of the path. */
  readonly parameter: string;
  /** The one after it. */
  readonly second?: string | undefined;
  readonly query: Query;
  /** Where somebody reached this network: `http://127.0.0.1:9680`. */
  readonly origin: string;
  /** Whether it may see what is not for the public. */
  readonly isTrusted: () => Promise<boolean>;
}

/** Parses, asks, renders. */
export interface WebRoute {
  /** As fastify has it. */
  readonly path: string;
  /** What a request costs, where that is not what other pages do. */
  readonly cost?: number;
  readonly serve: (context: WebContext, request: WebRequest) => Promise<Page | Redirect>;
}
