import type { FastifyInstance, FastifyRequest } from "fastify";
import { MAX_CALLS } from "../../jsonrpc/envelope.ts";
import { dropOldest } from "../../std/dropOldest.ts";
import { clientOf, isLocal } from "./client.ts";
import { HttpError } from "./failure.ts";

/** Seconds whose allowance a client may use at once. */
export const BURST_SECONDS = 10;

/** Clients that are remembered; who is forgotten begins anew. */
export const MAX_CLIENTS = 10_000;

/** What requests cost; a list where a route does not say. A call of JSON-RPC costs by its method. */
export const COSTS = {
  free: 0,
  record: 1,
  list: 3,
  search: 10,
  blob: 10,
  trace: 50,
  verification: 50,
  file: 50,
} as const;

/** What calls of JSON-RPC cost, by how their names begin; any other costs 1. */
export const CALL_COSTS: readonly (readonly [prefix: string, cost: number])[] = [
  ["eth_getLogs", 10],
  ["eth_getFilterLogs", 10],
  ["eth_getBlobSidecar", 10],
  ["eth_getProof", 5],
  ["eth_call", 3],
  ["eth_estimateGas", 5],
  ["eth_createAccessList", 5],
  ["eth_simulateV1", 20],
  ["eth_sendRawTransaction", 5],
  ["debug_", 50],
  ["trace_", 50],
];

/** Bytes of a body that cost a unit. */
export const BYTES_PER_UNIT = 64 << 10;

/** Gives each client an allowance of so many units a second. */
export class RateLimit {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #clients = new Map<string, { units: number; at: number }>();

  constructor(rate: number, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Takes units from a client's allowance; answers the seconds to wait where it has none left. */
  take(client: string, cost: number): number {
    const now = this.#now();
    const most = this.#rate * BURST_SECONDS;
    const known = this.#clients.get(client) ?? { units: most, at: now };
    const units = Math.min(most, known.units + ((now - known.at) / 1000) * this.#rate);
    this.#clients.delete(client);
    // What costs more than anybody can save is not refused for ever: it is paid for afterwards. A request and its calls are
    // paid for one after the other, so that all can never be asked for.
    const needed = Math.min(cost, most / 2);
    const isAllowed = units >= needed;
    this.#clients.set(client, { units: isAllowed ? units - cost : units, at: now });
    dropOldest(this.#clients, MAX_CLIENTS);
    return isAllowed ? 0 : Math.max(1, Math.ceil((needed - units) / this.#rate));
  }

  /** Refuses a request whose client has used its allowance up. Programs on this machine are not limited. */
  spend(request: FastifyRequest, cost: number): void {
    if (cost === 0 || isLocal(request)) return;
    const seconds = this.take(clientOf(request), cost);
    if (seconds > 0) throw new HttpError(429, { "retry-after": String(seconds) });
  }
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What a request of the route costs. */
    readonly cost?: number;
  }
}

/** Every request costs something, before it is read; a body of unknown length when it is. */
export function limitRequests(app: FastifyInstance, limit: RateLimit): void {
  app.addHook("onRequest", async (request) => {
    limit.spend(request, costOf(request) + costOfBytes(Number(request.headers["content-length"] ?? 0)));
  });
  app.addHook("preValidation", async (request) => {
    const { body, headers } = request;
    const isCounted = headers["content-length"] !== undefined;
    if (!isCounted && (typeof body === "string" || Buffer.isBuffer(body)))
      limit.spend(request, costOfBytes(body.length));
  });
}

function costOfBytes(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_UNIT);
}

export function costOf({ method, routeOptions }: FastifyRequest): number {
  return method === "OPTIONS" ? COSTS.free : (routeOptions.config?.cost ?? COSTS.list);
}

/** What the calls of a body cost, as far as they can be told without reading it. */
export function costOfCalls(body: string): number {
  let [cost, calls] = [0, 0];
  for (const [, name = ""] of body.matchAll(/"method"\s*:\s*"(\w{1,64})"/g)) {
    // A longer batch is refused.
    if (++calls > MAX_CALLS) break;
    cost += CALL_COSTS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 1;
  }
  return cost;
}
