import type { FastifyInstance, FastifyRequest } from "fastify";
import { MAX_CALLS } from "../../jsonrpc/envelope.ts";
import { dropOldest } from "../../std/maps.ts";
import { clientOf, isLocal } from "./client.ts";
import { HttpError } from "./failure.ts";

/** Seconds of allowance that may be saved up. */
export const BURST_SECONDS = 10;

/** The least recently seen client is evicted and starts anew. */
export const MAX_CLIENTS = 10_000;

/** Units per request; the default is `list`. JSON-RPC calls cost by method. */
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

/** By method prefix; others cost 1. */
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
  ["ots_", 50],
];

/** Body bytes per unit. */
export const BYTES_PER_UNIT = 64 << 10;

/** Remaining budget of a client, and the seconds until it is full again. */
export interface Allowance {
  readonly units: number;
  readonly max: number;
  readonly seconds: number;
}

/** Token bucket per client. */
export class RateLimit {
  readonly #rate: number;
  readonly #now: () => number;
  readonly #clients = new Map<string, { units: number; at: number }>();

  constructor(rate: number, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Returns the seconds to wait, or 0. */
  take(client: string, cost: number): number {
    const now = this.#now();
    const max = this.#rate * BURST_SECONDS;
    const units = this.#unitsOf(client, now);
    this.#clients.delete(client);
    // A cost above the burst is allowed once half the burst is saved, and paid off afterwards. Request and calls are
    // charged separately, so requiring all of it would never be met.
    const needed = Math.min(cost, max / 2);
    const isAllowed = units >= needed;
    this.#clients.set(client, { units: isAllowed ? units - cost : units, at: now });
    dropOldest(this.#clients, MAX_CLIENTS);
    return isAllowed ? 0 : Math.max(1, Math.ceil((needed - units) / this.#rate));
  }

  #unitsOf(client: string, now: number): number {
    const max = this.#rate * BURST_SECONDS;
    const known = this.#clients.get(client) ?? { units: max, at: now };
    return Math.min(max, known.units + ((now - known.at) / 1000) * this.#rate);
  }

  /** Undefined for local programs. */
  allowance(request: FastifyRequest): Allowance | undefined {
    if (isLocal(request)) return undefined;
    const units = this.#unitsOf(clientOf(request), this.#now());
    return { units, max: this.#rate * BURST_SECONDS, seconds: BURST_SECONDS };
  }

  /** Throws if the client's allowance is used up. Local programs are exempt. */
  spend(request: FastifyRequest, cost: number): void {
    if (cost === 0 || isLocal(request)) return;
    const seconds = this.take(clientOf(request), cost);
    if (seconds > 0) throw new HttpError(429, { "retry-after": String(seconds) });
  }
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly cost?: number;
  }
}

/** Charges every request before it is read, and a body of unknown length when it is. */
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

/** Cost of the calls in a body, estimated without parsing it. */
export function costOfCalls(body: string): number {
  let [cost, calls] = [0, 0];
  for (const [, name = ""] of body.matchAll(/"method"\s*:\s*"(\w{1,64})"/g)) {
    // Longer batches are rejected.
    if (++calls > MAX_CALLS) break;
    cost += CALL_COSTS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 1;
  }
  return cost;
}
