import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { createApp } from "../src/api/app.ts";
import { Gateway } from "../src/gateway/gateway.ts";
import type { HandleBody } from "../src/jsonrpc/port.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import type { ExchangeSettings } from "../src/query/exchange/exchangeSettings.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { loadHasher } from "../src/store/dictionary/secret.ts";
import { mustHave } from "../src/store/rows/encoding.ts";
import type { Served } from "./support/api.ts";
import { SETTINGS, serveChain } from "./support/api.ts";
import type { CountedRequest } from "./support/countedRequests.ts";
import {
  actionRequests,
  adapterRequests,
  exchangeRequests,
  findSubjects,
  restRequests,
  rpcRequests,
  webRequests,
} from "./support/countedRequests.ts";
import type { Usage } from "./support/countingDatabase.ts";
import { CountingDatabase, ForgetfulReader } from "./support/countingDatabase.ts";
import { serveBodies } from "./support/gatewayChain.ts";
import { handleFor } from "./support/portNode.ts";
import { factoriesOf } from "./support/simulatedPools.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

/** Rounds of a list page or a record, of one transaction or block, and of a web page, which has a record and a list. */
const BOUNDS = { list: 6, single: 4, web: 10 };

const SINGLE = /^REST \/(blocks\/\{id\}|transactions\/\{hash\})$|^web \/(block\/:id|tx\/:hash)$|^rpc eth_get(?!Logs)/;

/** Exceptions: rounds with nothing cached, and the reason. */
const EXCEPTIONS: readonly (readonly [name: RegExp, rounds: number, reason: string])[] = [
  [
    /token-balances|addresses\/\{address\}\/tokens|tokenlist/,
    7,
    "counts, holdings, their tokens, their items, the owners of these",
  ],
  [/\/nft/, 9, "the same, then the items of each collection"],
  [/instances/, 8, "the token, its list, its items, who owns these"],
  [
    /token-transfers|internal-(transactions|txs)|txlistinternal|token(nft|1155)?tx/,
    7,
    "rows, their transactions, parties, who made these",
  ],
  [/getTokenHolders|tokenholderlist|smart-contracts\/\{address\}/, 7, "the node is asked between two sessions"],
  [/advanced-filter$|advanced-filters$/, 15, "three lists that are merged, in parts"],
  [/getLogs/, 12, "rows are read 500 at a time, and less where they are long"],
  [/transactions\/\{hash\}$|web \/tx\/:hash$|gettxinfo/, 7, "pools that logged, then their tokens"],
  [/addresses\/\{address\}$/, 8, "a contract made by a call: the block of the call, its transaction, the parties"],
  [
    /addresses\/\{address\}\/logs|web \/address\/:address logs/,
    11,
    "rows, parties, their transactions, then values of dictionaries",
  ],
  [/state-changes/, 70, "balances before a transaction are found by walking back, one session a part"],
  [/hot-smart-contracts|transactions\/stats/, 22, "all transactions of a time are walked over; kept for 30 seconds"],
  [/fundedby/, 9, "the transactions of an address, then its internal calls up to the first that is wanted"],
  [/^exchange|^adapter|web \/pools$/, 20, "all pools are brought to the newest block once, for everybody"],
  [/^rpc eth_get(?!Logs)/, 7, "the first call of a block compares index and node, once for everybody"],
  [/web \/pools\/:address/, 30, "the same, then its candles, its value over time and its swaps"],
  [/web \/tx\/:hash state/, 80, "as state-changes"],
  [/web \/tx\/:hash trace/, 11, "the record, then the tokens and pools that calls name"],
  [/web \/token\/:address\/instance/, 14, "the item, its metadata by the node, then a list"],
];

const TRAFFIC = { pools: 8, honestTokens: 4, wrappers: 2, sharedBlobs: 3, transactions: [0, 6] } as const;

/**
 * Counts the rounds of dependent statements that every request takes on the index: statements that are issued before any of
 * them has resolved are one round. "Cold" is the first request of a block in a process that has just started: nothing is
 * cached. "Warm" is the same request again, past the cache of responses. Not counted are the version, which costs no
 * statement, and BEGIN and COMMIT: the table has snapshots apart, and an engine may send BEGIN with the first statement.
 * What asks contracts.db or blobs.db is not counted.
 */
test("every request takes a bounded number of rounds of statements", async (t) => {
  const factories: ExchangeSettings["factories"][number][] = [];
  const exchange = { ...NO_EXCHANGES, factories };
  const served = await serveChain({ seed: 5, blocks: 200, tokens: true, traces: true, traffic: TRAFFIC, exchange });
  for (const address of factoriesOf(served.chain)) factories.push({ name: "Simulated", address });
  const found = await findSubjects(async (path) => (await served.app.inject({ url: path })).json());
  const requests = [restRequests, exchangeRequests, adapterRequests, webRequests, actionRequests, rpcRequests].flatMap(
    (of) => of(found),
  );
  const measure = await meter(t, served, exchange);
  const problems: string[] = [];
  const needed = new Set<(typeof EXCEPTIONS)[number]>();
  for (const request of requests) {
    const [cold, warm] = await measure(request);
    const exception = exceptionOf(request.name);
    const bound = Math.max(usualBound(request.name), exception?.[1] ?? 0);
    if (exception !== undefined && cold.rounds.length > usualBound(request.name)) needed.add(exception);
    t.diagnostic(`${request.name.padEnd(58)} cold ${show(cold)}  warm ${show(warm)}  at most ${bound}`);
    if (cold.rounds.length > bound || warm.rounds.length > bound) problems.push(`${request.name}: ${list(cold)}`);
  }

  assert.deepEqual(problems, []);
  assert.deepEqual([...needed].sort(), [...EXCEPTIONS].sort(), "every exception is needed");
});

function usualBound(name: string): number {
  if (SINGLE.test(name)) return BOUNDS.single;
  return name.startsWith("web ") ? BOUNDS.web : BOUNDS.list;
}

const exceptionOf = (name: string) => EXCEPTIONS.find(([pattern]) => pattern.test(name));

const show = ({ rounds, snapshots }: Usage) =>
  `${String(rounds.length).padStart(3)} (${rounds.flat().length} statements, ${snapshots} snapshots)`;

const list = ({ rounds }: Usage) => rounds.map((sent, at) => `\n${at + 1}: ${sent.join("\n   ")}`).join("");

/** Answers requests from nothing, and once more. */
async function meter(t: TestContext, { chain, store, app: served }: Served, exchange: ExchangeSettings) {
  const counting = new CountingDatabase(store.database);
  const reader = new ForgetfulReader(counting, mustHave(await loadHasher(store.database), "the secret of the index"));
  const settings = { ...SETTINGS, web: { coin: "ETH", isTestnet: false, others: [] } };
  const app = createApp({ store: reader, source: simulatedSource(chain), settings, exchange });
  const handle: HandleBody = (body) => handleFor(chain)(body, false);
  const { url } = await serveBodies(t, handle);
  const upstreams = openPool([url], { chainId: SETTINGS.chainId });
  t.after(async () => {
    await app.close();
    await upstreams.close();
    await served.close();
    await store.close();
  });
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: false, unboundedLogs: false };
  const gateway = new Gateway({ chainId: SETTINGS.chainId, upstreams, store: reader, ...rules });
  const ask = async (request: CountedRequest, time: number) => {
    if ("method" in request) {
      const { method, params } = request;
      const body = JSON.stringify({ jsonrpc: "2.0", id: time, method, params });
      return void JSON.parse(textOf((await gateway.handle(body, false)) ?? ""));
    }
    const headers = { accept: request.name.startsWith("web") ? "text/html" : "application/json" };
    const { statusCode } = await app.inject({ url: `${request.url}&time=${time}`, headers });
    // Nothing is verified here, and no token has a price.
    const isAbsent = /\/(verify|price)/.test(request.url);
    assert.ok(statusCode < 400 || isAbsent, `${request.url} answers ${statusCode}`);
  };
  return async (request: CountedRequest): Promise<readonly [cold: Usage, warm: Usage]> => {
    reader.forget();
    counting.take();
    await ask(request, 1);
    const cold = counting.take();
    await ask(request, 2);
    return [cold, counting.take()];
  };
}
