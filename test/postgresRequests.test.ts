import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Gateway } from "../src/gateway/gateway.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import type { ExchangeSettings } from "../src/query/exchange/exchangeSettings.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { SETTINGS, serveChain } from "./support/api.ts";
import type { CountedRequest } from "./support/countedRequests.ts";
import {
  actionRequests,
  exchangeRequests,
  findSubjects,
  restRequests,
  rpcRequests,
  webRequests,
} from "./support/countedRequests.ts";
import { serveBodies } from "./support/gatewayChain.ts";
import { handleFor } from "./support/portNode.ts";
import { emptyStore, postgresUrl } from "./support/postgresServer.ts";
import { Random } from "./support/random.ts";
import { randomRequest, readPopulation } from "./support/randomRequests.ts";
import { firstSeed } from "./support/seed.ts";
import { factoriesOf } from "./support/simulatedPools.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 150);
const SEED = firstSeed();
const BLOCKS = 60;

const TRAFFIC = { pools: 4, honestTokens: 4, wrappers: 2, sharedBlobs: 3, transactions: [0, 6] } as const;

/** What says how old it is, or how long it took, differs from one request to the next. */
const VOLATILE = /"(response_time|since_last_block_ms|uptime\w*|timestamp_now)":[^,}]*/g;

const server = await postgresUrl();

/** All interfaces over an index of the same chain in the store. */
async function openSite(t: TestContext, storeUrl: string) {
  const factories: ExchangeSettings["factories"][number][] = [];
  const served = await serveChain({
    seed: SEED,
    blocks: BLOCKS,
    tokens: true,
    traces: true,
    traffic: TRAFFIC,
    storeUrl,
    exchange: { ...NO_EXCHANGES, factories },
    settings: { web: { coin: "ETH", isTestnet: false, others: [] } },
  });
  const { chain, store, app } = served;
  for (const address of factoriesOf(chain)) factories.push({ name: "Simulated", address });
  const { url } = await serveBodies(t, (body) => handleFor(chain)(body, false));
  const upstreams = openPool([url], { chainId: chain.chainId });
  t.after(async () => {
    await upstreams.close();
    await served.close();
  });
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: false, unboundedLogs: false };
  const gateway = new Gateway({ chainId: SETTINGS.chainId, upstreams, store, ...rules });
  const read = async (path: string) => (await app.inject({ url: path })).json();
  const ask = async (request: CountedRequest): Promise<string> => {
    if ("method" in request) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: request.method, params: request.params });
      return textOf((await gateway.handle(body, false)) ?? "");
    }
    const headers = { accept: request.name.startsWith("web") ? "text/html" : "application/json" };
    const { statusCode, body } = await app.inject({ url: request.url, headers });
    return `${statusCode} ${body.replaceAll(VOLATILE, "")}`;
  };
  return { read, ask };
}

test(`every request, and ${CASES} random ones, get the same response from PostgreSQL as from SQLite (seed ${SEED})`, async (t) => {
  const [sqlite, postgres] = [await openSite(t, IN_MEMORY), await openSite(t, emptyStore(server))];
  const subjects = await findSubjects(sqlite.read);
  const population = await readPopulation(sqlite.read);
  const all = [restRequests, exchangeRequests, webRequests, actionRequests, rpcRequests].flatMap((of) => of(subjects));
  const random = new Random(SEED);
  const answered = new Map<string, number>();
  const differing: string[] = [];
  const compare = async (request: CountedRequest) => {
    const [expected, actual] = [await sqlite.ask(request), await postgres.ask(request)];
    if (actual !== expected)
      differing.push(`${JSON.stringify(request)}\n  ${expected.slice(0, 300)}\n  ${actual.slice(0, 300)}`);
    const status = "method" in request ? "JSON-RPC" : expected.slice(0, 3);
    answered.set(status, (answered.get(status) ?? 0) + 1);
  };
  for (const request of all) await compare(request);
  for (let index = 0; index < CASES; index++) await compare(randomRequest(random, population));

  t.diagnostic(JSON.stringify(Object.fromEntries(answered)));
  assert.ok(all.length > 100);
  assert.deepEqual(differing, []);
  assert.ok(answered.get("200")! > 0.5 * (all.length + CASES), "most requests are answered");
});
