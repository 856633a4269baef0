import { parseArgs } from "node:util";
import { NO_EXCHANGES } from "../../src/query/exchange/exchangeSettings.ts";
import { onNodes } from "../../src/store/engine/postgres/distribution.ts";
import { PostgresConnection } from "../../src/store/engine/postgres/postgresConnection.ts";
import { SETTINGS, serveChain } from "../support/api.ts";
import type { CountedRequest } from "../support/countedRequests.ts";
import { actionRequests, findSubjects, restRequests, webRequests } from "../support/countedRequests.ts";
import { emptyStore } from "../support/postgresServer.ts";

/** Requests of the table in docs/operations.md. */
const SHOWN = [
  "REST /blocks",
  "REST /blocks/{id}",
  "REST /blocks/{id}/transactions",
  "REST /transactions",
  "REST /transactions/{hash}",
  "REST /transactions/{hash}/logs",
  "REST /transactions/{hash}/token-transfers",
  "REST /addresses/{address}",
  "REST /addresses/{address}/transactions",
  "REST /addresses/{address}/token-transfers",
  "REST /addresses/{address}/logs",
  "REST /addresses/{address}/tokens",
  "REST /tokens",
  "REST /tokens/{address}",
  "REST /tokens/{address}/holders",
  "REST /tokens/{address}/transfers",
  "action account/txlist",
  "action account/tokentx",
  "action logs/getLogs",
  "web /",
];

interface Counts {
  coordinator: number;
  one: number;
  some: number;
  all: number;
}

/**
 * Counts with EXPLAIN how many shards each statement of a request reads, with no caches but those of addresses: prints a table.
 * `node bin/node.js test/citus/countShards.ts URL` of a coordinator.
 */
async function countShards(url: string, isEverything: boolean): Promise<void> {
  const storeUrl = emptyStore(url);
  const schema = `${new URL(storeUrl).searchParams.get("schema")}_index`;
  const asked: [sql: string, parameters: readonly unknown[]][] = [];
  const all = PostgresConnection.prototype.all;
  PostgresConnection.prototype.all = function (this: PostgresConnection, sql: string, parameters: readonly unknown[]) {
    asked.push([sql, parameters]);
    return all.call(this, sql, parameters);
  } as typeof all;
  const traffic = { pools: 4, honestTokens: 4, wrappers: 2, sharedBlobs: 3, transactions: [0, 6] } as const;
  const served = await serveChain({
    seed: 1,
    blocks: 60,
    tokens: true,
    traces: true,
    traffic,
    storeUrl,
    exchange: NO_EXCHANGES,
    settings: { ...SETTINGS, web: { coin: "ETH", isTestnet: false, others: [] } },
  });
  const read = async (path: string) => (await served.app.inject({ url: path })).json();
  const subjects = await findSubjects(read);
  const explain = await new PostgresConnection({ connectionString: url }, false).connect();
  await explain.script(`SET search_path = ${schema}`);
  for (const [name, value] of Object.entries(onNodes(schema).settings))
    await explain.script(`SET ${name} = '${value}'`);
  const [[shards] = [0]] = await all.call(
    explain,
    `SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'tx'::regclass`,
    [],
  );
  const requests = [restRequests, webRequests, actionRequests].flatMap((of) => of(subjects));
  console.log(`| Request (${shards} shards) | Coordinator | One shard | Some | All |\n| - | - | - | - | - |`);
  for (const request of requests) {
    if (!isEverything && !SHOWN.includes(request.name)) continue;
    // Caches are of one version.
    await served.store.setMeta({ asked: request.name });
    asked.length = 0;
    await ask(served, request);
    const counts = { coordinator: 0, one: 0, some: 0, all: 0 };
    for (const [sql, parameters] of asked.splice(0)) {
      if (/set_config|shard_key|database_version/.test(sql)) continue;
      counts[await spreadOf(sql, parameters)]++;
    }
    console.log(`| ${request.name} | ${counts.coordinator} | ${counts.one} | ${counts.some} | ${counts.all} |`);
  }
  await explain.close();
  await served.close();

  async function spreadOf(sql: string, parameters: readonly unknown[]): Promise<keyof Counts> {
    const plan = (await all.call(explain, `EXPLAIN ${sql}`, parameters)).flat().join("\n");
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    if (tasks.length === 0) return "coordinator";
    const max = Math.max(...tasks);
    if (max === shards) return "all";
    return max === 1 ? "one" : "some";
  }
}

async function ask({ app }: Awaited<ReturnType<typeof serveChain>>, request: CountedRequest): Promise<void> {
  if (!("url" in request)) return;
  const headers = { accept: request.name.startsWith("web") ? "text/html" : "application/json" };
  const { statusCode } = await app.inject({ url: request.url, headers });
  if (statusCode !== 200) throw new Error(`${request.url}: ${statusCode}`);
}

const { values, positionals } = parseArgs({ options: { all: { type: "boolean" } }, allowPositionals: true });
const [url] = positionals;
if (url === undefined) throw new Error("usage: node bin/node.js test/citus/countShards.ts URL [--all]");
await countShards(url, values.all === true);
