import type { FastifyRequest } from "fastify";
import type { RpcBackend } from "../../jsonrpc/backend.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Verifier } from "../../verify/verifier.ts";
import type { WebSettings } from "../settings.ts";
import type { Redirect, Site, WebPage } from "./page.ts";
import type { Query } from "./params.ts";

export interface WebContext {
  readonly network: QueryContext;
  readonly site: Site;
  /** Undefined if verification is disabled. */
  readonly verifier?: Verifier | undefined;
  /** JSON-RPC backend. */
  readonly rpc?: RpcBackend | undefined;
  /** Prefunded accounts of an embedded chain. */
  readonly accounts?: WebSettings["accounts"];
  /** Whether a request may use non-public methods. */
  readonly isTrusted: (request: FastifyRequest) => Promise<boolean>;
}

export interface WebRequest {
  readonly parameter: string;
  readonly second?: string | undefined;
  readonly query: Query;
  /** Origin as the client addressed it: `http://127.0.0.1:9680`. */
  readonly origin: string;
  /** Whether the client may see non-public data. */
  readonly isTrusted: () => Promise<boolean>;
}

/** Parses, queries, renders. */
export interface WebRoute {
  readonly path: string;
  /** Defaults to that of other pages. */
  readonly cost?: number;
  readonly serve: (context: WebContext, request: WebRequest) => Promise<WebPage | Redirect>;
}
