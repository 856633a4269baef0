import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Random } from "./random.ts";
import type { ContractAnswer, EthCallOptions } from "./simulatedCalls.ts";
import { answerCall } from "./simulatedCalls.ts";
import type { SimulatedChain } from "./simulatedChain.ts";
import type { FaultSettings, TransportFault } from "./simulatedFaults.ts";
import { corrupt, Faults, faultyView } from "./simulatedFaults.ts";
import type { Call, NodeView } from "./simulatedMethods.ts";
import { answer, RpcError } from "./simulatedMethods.ts";
import { corruptAnswers, sendSpoiled } from "./simulatedTransport.ts";

export interface SimulatedNodeOptions {
  /** For the faults; the chain has a seed of its own. */
  readonly seed?: number;
  readonly safeDepth?: number;
  readonly finalizedDepth?: number;
  /** Contracts by address; without it the node has no `eth_call`. */
  readonly contracts?: ContractAnswer;
  readonly calls?: EthCallOptions;
  /** Serves over HTTPS with it. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface SimulatedNode {
  readonly url: string;
  /** Every HTTP request so far: what it called, and the transport fault it met. */
  readonly requests: { readonly calls: readonly Call[]; readonly fault: TransportFault | undefined }[];
  readonly faults: Faults;
  close(): Promise<void>;
}

/** Serves a simulated chain as JSON-RPC over HTTP, with the faults of `faults`. */
export async function startSimulatedNode(
  chain: SimulatedChain,
  options: SimulatedNodeOptions = {},
): Promise<SimulatedNode> {
  const { seed = chain.seed, contracts, calls = {}, tls, ...depths } = options;
  const random = new Random(seed).fork("faults");
  const faults = new Faults(random);
  const requests: SimulatedNode["requests"] = [];
  const view: NodeView = { chain, ...depths };

  const take = (request: IncomingMessage, response: ServerResponse) => {
    response.on("error", () => {});
    serve(request, response).catch((error) => response.destroy(error));
  };
  const server = tls === undefined ? createServer(take) : createSecureServer(tls, take);

  function respondTo(item: Request, settings: FaultSettings): object | Promise<object> {
    const isCall = item.method === "eth_call" && contracts !== undefined;
    return isCall
      ? respondCall(item, () => answerCall(view, item, contracts, calls))
      : respond(item, view, settings, random);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = parse(await text(request));
    const items = (Array.isArray(body) ? body : [body]).map(asRequest);
    const settings = faults.next(items);
    const fault = settings.transport && random.pick(settings.transport);
    requests.push({ calls: items.map(({ method, params }) => ({ method, params })), fault });
    const answers = await Promise.all(items.map((item) => respondTo(item, settings)));
    const spoiled = fault === undefined ? answers : corruptAnswers(fault, answers, random);
    const payload = Array.isArray(body) || !Array.isArray(spoiled) || spoiled.length !== 1 ? spoiled : spoiled[0];
    await sendSpoiled(response, JSON.stringify(payload), fault, settings);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Request extends Call {
  readonly id: unknown;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function asRequest(value: unknown): Request {
  const { id = null, method = "", params = [] } = (value ?? {}) as Partial<Request>;
  return { id, method, params };
}

function respond(request: Request, view: NodeView, faults: FaultSettings, random: Random): object {
  const { id } = request;
  const seen = faultyView(view, faults, random);
  try {
    let result = answer(seen, request);
    if (faults.data !== undefined) result = corrupt(random.pick(faults.data), request, result, seen, random);
    if (faults.respond !== undefined) result = faults.respond(request, structuredClone(result));
    return { jsonrpc: "2.0", id, result };
  } catch (error) {
    return failure(id, error);
  }
}

async function respondCall({ id }: Request, call: () => unknown): Promise<object> {
  try {
    return { jsonrpc: "2.0", id, result: await call() };
  } catch (error) {
    return failure(id, error);
  }
}

function failure(id: unknown, error: unknown): object {
  if (!(error instanceof RpcError)) throw error;
  return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
}
