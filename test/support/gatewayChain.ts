import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Gateway, type GatewayOptions } from "../../src/gateway/gateway.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import type { HandleBody } from "../../src/jsonrpc/port.ts";
import type { ResponseBody } from "../../src/jsonrpc/responseBody.ts";
import { textOf } from "../../src/jsonrpc/responseBody.ts";
import { openPool } from "../../src/source/pool/openPool.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import { CHAIN_ID, DevelopmentNode } from "./developmentNode.ts";
import type { Cleaning } from "./program.ts";

/** A JSON-RPC answer. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Serves whatever answers bodies over HTTP, as a node for whom everybody is trusted. */
export async function serveBodies(t: Cleaning, handle: HandleBody): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    const answer = await handle(await text(request), true);
    response.writeHead(200, { "content-type": "application/json" }).end(answer ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** How the node answers for blobs over HTTP: with this, or as one without the methods. */
interface BlobView {
  blobs?: unknown;
  lacksMethods?: boolean;
}

/** A node behind HTTP, the index of its chain and a gateway in front of both. */
export class GatewayChain {
  readonly node: DevelopmentNode;
  readonly url: string;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly stopNode: () => void;
  readonly #indexer: Indexer;
  readonly #view: BlobView;

  private constructor(
    node: DevelopmentNode,
    { url, server }: { url: string; server: Server },
    store: Store,
    gateway: Gateway,
    indexer: Indexer,
    view: BlobView,
  ) {
    this.#view = view;
    this.node = node;
    this.url = url;
    this.stopNode = () => {
      server.close();
      server.closeAllConnections();
    };
    this.store = store;
    this.gateway = gateway;
    this.#indexer = indexer;
  }

  static async open(t: Cleaning, options: Partial<GatewayOptions> = {}): Promise<GatewayChain> {
    const node = await DevelopmentNode.open();
    const view: BlobView = {};
    const served = await serveBodies(t, (body) => answerNode(node, view, body));
    const store = await openStore(IN_MEMORY, CHAIN_ID);
    const { url } = served;
    const source = new Upstream({ url, chainId: CHAIN_ID, authoritative: true });
    const upstreams = openPool([url], { chainId: CHAIN_ID });
    const rules = { isDevelopment: true, allowed: [], acceptsCellProofs: false, unboundedLogs: false };
    const gateway = new Gateway({ chainId: CHAIN_ID, upstreams, store, ...rules, ...options });
    t.after(async () => {
      await Promise.all([source.close(), upstreams.close()]);
      await store.close();
      await node.close();
    });
    return new GatewayChain(node, served, store, gateway, new Indexer({ store, source, stages: [] }), view);
  }

  async index(): Promise<void> {
    while ((await this.#indexer.step()) !== "idle");
  }

  /** From now on the node answers this for blobs over HTTP: as one that has lost them, unless something else is given. */
  loseBlobs(answer: unknown = []): void {
    this.#view.blobs = answer;
  }

  /** From now on the node has no methods for blobs over HTTP. */
  removeBlobMethods(): void {
    this.#view.lacksMethods = true;
  }

  async ask(method: string, params: readonly unknown[] = [], isTrusted = false): Promise<Answer> {
    return askBackend((body) => this.gateway.handle(body, isTrusted), method, params);
  }

  async askNode(method: string, params: readonly unknown[] = []): Promise<Answer> {
    return askBackend((body) => this.node.node.handle(body, true), method, params);
  }
}

async function answerNode(node: DevelopmentNode, view: BlobView, body: string): Promise<string | undefined> {
  const text = await node.node.handle(body, true);
  const { id, method } = JSON.parse(body) as { id?: unknown; method?: string };
  if (view.lacksMethods && method?.startsWith("eth_getBlobSidecar")) {
    const error = { code: -32_601, message: `the method ${method} does not exist/is not available` };
    return JSON.stringify({ jsonrpc: "2.0", id, error });
  }
  if (view.blobs === undefined || !method?.startsWith("eth_getBlobSidecar") || text?.endsWith("null}")) return text;
  return JSON.stringify({ jsonrpc: "2.0", id, result: view.blobs });
}

async function askBackend(
  handle: (body: string) => Promise<ResponseBody | undefined>,
  method: string,
  params: readonly unknown[],
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { result, error } = JSON.parse(textOf((await handle(body)) ?? "{}")) as Answer;
  return error === undefined ? { result } : { error };
}
