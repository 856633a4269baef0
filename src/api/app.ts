import type { FastifyInstance } from "fastify";
import type { RpcBackend } from "../jsonrpc/backend.ts";
import type { QueryContext, QueryOptions } from "../query/context.ts";
import { openQueryContext } from "../query/context.ts";
import { readDeployedContract } from "../query/contracts/deployedContract.ts";
import type { ContractStore } from "../store/contracts/contractStore.ts";
import type { Compilers } from "../verify/compilers.ts";
import { Verifier } from "../verify/verifier.ts";
import { actionInterface } from "./action/routes.ts";
import { adapterInterface } from "./adapter/adapterInterface.ts";
import { exchangeInterface } from "./exchange/exchangeInterface.ts";
import { HEALTH_OPERATIONS, healthRoutes } from "./health/healthRoutes.ts";
import { metricsRoutes } from "./health/metrics.ts";
import { createHttpApp } from "./http/httpApp.ts";
import { RateLimit } from "./http/rateLimit.ts";
import { RequestQueue } from "./http/requestQueue.ts";
import { ResponseCache } from "./http/responseCache.ts";
import { DOCUMENT_PATHS, documentRoutes } from "./openapi/routes.ts";
import { restInterface } from "./rest/routes.ts";
import { rpcInterface } from "./rpc/routes.ts";
import { isTrusted } from "./rpc/trust.ts";
import type { AppSettings, WebSettings } from "./settings.ts";
import { TESTNET_CHAIN_ID } from "./settings.ts";
import { sourcifyInterface } from "./sourcify/sourcifyInterface.ts";
import { subgraphInterface } from "./subgraph/subgraphInterface.ts";
import type { WebContext } from "./web/context.ts";
import { webInterface } from "./web/webInterface.ts";

export interface AppOptions extends Omit<QueryOptions, "onError" | "blobUpdateFraction" | "blockReward"> {
  readonly settings: AppSettings;
  /** Called for requests about the chain. */
  readonly onActivity?: (() => void) | undefined;
  /** Undefined disables JSON-RPC. */
  readonly rpc?: RpcBackend | undefined;
  /** Undefined disables verification. */
  readonly verification?: VerificationOptions | undefined;
}

export interface VerificationOptions {
  readonly contracts: ContractStore;
  readonly compilers: Compilers;
}

/** All interfaces of one network over one store. */
export function createApp({ settings, rpc, onActivity, verification, ...options }: AppOptions): FastifyInstance {
  const { logger, blobUpdateFraction, blockReward } = settings;
  const onError = (what: string, reason: string) => logger?.warn({ reason }, what);
  const sources = verification?.contracts;
  const network = openQueryContext({ ...options, sources, blobUpdateFraction, blockReward, onError });
  const verifier = verification && openVerifier(network, settings, verification);
  const queue = new RequestQueue();
  const responses = keepResponses(network, queue);
  const limit = settings.rateLimit ? new RateLimit(settings.rateLimit) : undefined;
  const rest = restInterface({ network, settings, verifier }, responses);
  const exchange = exchangeInterface({ network, chainId: settings.chainId }, responses);
  const action = actionInterface({ ...network, rpc, verifier }, settings, responses, limit);
  const pages = settings.web && webInterface(webContext(network, settings, settings.web, { verifier, rpc }), responses);
  const sourcify = sourcifyInterface({ network, chainId: settings.chainId, verifier });
  const formats = ["dexscreener", "geckoterminal"] as const;
  const adapters = formats.map((format) => adapterInterface({ network, format }, responses));
  const kinds = ["v2", "v3"] as const;
  const subgraphs = kinds.map((kind) => subgraphInterface({ network, kind }, responses));
  const own = [rest, action, exchange, ...adapters, ...subgraphs, sourcify, ...(pages === undefined ? [] : [pages])];
  const interfaces = rpc === undefined ? own : [...own, rpcInterface(rpc, settings, limit)];
  const app = createHttpApp(settings, interfaces, { limit, queue, responses });
  app.addHook("onClose", () => network.decoder.close());
  app.addHook("onListen", async () => network.names.watch((reason) => onError("pools are not named for now", reason)));
  app.addHook("preClose", async () => network.names.close());
  // Before requests are awaited, since some wait for the verifier.
  app.addHook("preClose", async () => verifier?.close());
  if (onActivity !== undefined) reportActivity(app, onActivity);
  healthRoutes(app, network, settings, rpc);
  metricsRoutes(app, network, settings, queue, rpc);
  documentRoutes(app, settings, interfaces, HEALTH_OPERATIONS);
  return app;
}

/** For a process that serves no interface: its state, for operators. */
export function createStatusApp({
  settings,
  ...options
}: Pick<AppOptions, "store" | "source" | "activity" | "settings">) {
  const network = openQueryContext(options);
  const app = createHttpApp(settings, []);
  app.addHook("onClose", () => network.decoder.close());
  healthRoutes(app, network, settings);
  metricsRoutes(app, network, settings, new RequestQueue());
  return app;
}

function webContext(
  network: QueryContext,
  settings: AppSettings,
  { accounts, ...web }: WebSettings,
  { verifier, rpc }: Pick<WebContext, "verifier" | "rpc">,
): WebContext {
  const { chainName, chainId, version } = settings;
  const has = { hasVerifier: verifier !== undefined, hasRpc: rpc !== undefined };
  const isTestnet = web.isTestnet || chainId === TESTNET_CHAIN_ID;
  const site = { chainName, chainId, version, ...web, isTestnet, ...has };
  return { network, site, verifier, rpc, accounts, isTrusted: (request) => isTrusted(request, settings) };
}

function openVerifier(network: QueryContext, settings: AppSettings, options: VerificationOptions): Verifier {
  const { chainId, logger } = settings;
  const verifier = new Verifier({
    ...options,
    chainId,
    readDeployed: (address) => readDeployedContract(network, address),
    onError: (reason) => logger?.error({ reason }, "a source could not be verified"),
  });
  verifier.start();
  return verifier;
}

function keepResponses({ store, node, abis, metadata, names }: QueryContext, queue: RequestQueue): ResponseCache {
  const heights = () => node?.head.changes ?? 0;
  return new ResponseCache(
    store,
    {
      heights,
      epoch: () => node?.readThrough.epoch ?? "",
      abis,
      forkedAt: () => store.read((session) => session.forkedAt()),
      metadata: () => metadata.changes,
      names: () => names.changes,
    },
    queue,
  );
}

/** Monitoring and documentation do not count as activity. */
const WATCHED = new Set<string>(["/health", "/ready", "/status", "/metrics", ...Object.values(DOCUMENT_PATHS)]);

function reportActivity(app: FastifyInstance, onActivity: () => void): void {
  app.addHook("onRequest", async ({ routeOptions }) => {
    const { url } = routeOptions;
    if (url !== undefined && !WATCHED.has(url) && !url.startsWith("/docs/")) onActivity();
  });
}
