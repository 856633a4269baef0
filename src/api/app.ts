import type { FastifyInstance } from "fastify";
import type { Source } from "../chain/source.ts";
import { Activity } from "../query/activity.ts";
import type { Abis } from "../query/decode/abis.ts";
import { Decoder } from "../query/decode/decoder.ts";
import { ContractCreators } from "../query/node/contractCreators.ts";
import { HeadWatch } from "../query/node/headWatch.ts";
import { NodeBalances } from "../query/node/nodeBalances.ts";
import { NodeState } from "../query/node/nodeState.ts";
import { ReadThrough } from "../query/node/readThrough.ts";
import { TraceFailures } from "../query/node/traceFailures.ts";
import { chainStats } from "../query/stats/chainStats.ts";
import type { BlobBook } from "../store/blobBook.ts";
import type { Store } from "../store/store.ts";
import type { Context } from "../query/context.ts";
import { HEALTH_OPERATIONS, healthRoutes } from "./health/healthRoutes.ts";
import { metricsRoutes } from "./health/metrics.ts";
import { createHttpApp } from "./http/httpApp.ts";
import { ResponseCache } from "./http/responseCache.ts";
import { DOCUMENT_PATHS, documentRoutes } from "./openapi/routes.ts";
import { restInterface } from "./rest/routes.ts";
import type { RpcBackend } from "./rpc/routes.ts";
import { rpcInterface } from "./rpc/routes.ts";
import type { AppSettings } from "./settings.ts";

export interface AppOptions {
  readonly store: Store;
  /** Without a node, what the index does not hold is not found. */
  readonly source?: Source | undefined;
  /** Learns that somebody asked for something that is on the chain. */
  readonly onActivity?: (() => void) | undefined;
  /** Without them signatures are the well-known ones and those that bytecode tells. */
  readonly abis?: Abis | undefined;
  /** Without them blobs are those that the node keeps. */
  readonly blobs?: Pick<BlobBook, "read"> | undefined;
  /** Milliseconds that an answer waits for what the node tells to decode it. */
  readonly patience?: number | undefined;
  readonly settings: AppSettings;
  /** What the threads do that index and answer; without it nothing is known of them. */
  readonly activity?: Activity | undefined;
  /** Without it there is no JSON-RPC. */
  readonly rpc?: RpcBackend | undefined;
}

/** The app of one network: every interface over one store. */
export function createApp(options: AppOptions): FastifyInstance {
  const { store, source, abis, blobs, patience, settings, rpc, onActivity, activity = new Activity() } = options;
  const node = askNode(source, store);
  const onTrouble = (what: string, reason: string) => settings.logger?.warn({ reason }, what);
  const decoder = new Decoder({ nodeState: node.nodeState, abis, deadline: patience, onTrouble });
  const context: Context = { store, settings, stats: chainStats(store), activity, ...node, decoder, abis, blobs };
  const rest = restInterface(context, keepResponses(context));
  const interfaces = rpc === undefined ? [rest] : [rest, rpcInterface(rpc, settings)];
  const app = createHttpApp(settings, interfaces);
  app.addHook("onClose", () => decoder.close());
  if (onActivity !== undefined) reportActivity(app, onActivity);
  healthRoutes(app, context);
  metricsRoutes(app, context);
  documentRoutes(app, settings, interfaces, HEALTH_OPERATIONS);
  return app;
}

function keepResponses({ store, head, readThrough, abis }: Context): ResponseCache {
  const heights = () => head?.changes ?? 0;
  return new ResponseCache(store, { heights, epoch: () => readThrough?.epoch ?? "", abis });
}

/** What asks the node; all undefined where there is none. */
function askNode(source: Source | undefined, store: Store) {
  const head = source && new HeadWatch(source);
  const readThrough = source && head && new ReadThrough(source, head);
  return {
    head,
    readThrough,
    nodeBalances: readThrough && new NodeBalances(readThrough),
    nodeState: readThrough && new NodeState(readThrough),
    traceFailures: readThrough && new TraceFailures(readThrough),
    contractCreators: readThrough && new ContractCreators(readThrough, store),
  };
}

/** Whoever only watches over the program, or reads about it, does not look at the chain. */
const WATCHED = new Set<string>(["/health", "/ready", "/status", "/metrics", ...Object.values(DOCUMENT_PATHS)]);

function reportActivity(app: FastifyInstance, onActivity: () => void): void {
  app.addHook("onRequest", async ({ routeOptions }) => {
    if (routeOptions.url !== undefined && !WATCHED.has(routeOptions.url)) onActivity();
  });
}
