import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openStore } from "../src/store/openStore.ts";
import { callRpc, indexes, urlsOf } from "./support/networks.ts";
import { emptyStore, postgresUrl } from "./support/postgresServer.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";

const server = await postgresUrl();

async function query<R extends pg.QueryResultRow>(sql: string, ...values: unknown[]): Promise<R[]> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<R>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Schemas of a store by the end of their names. One that was dropped and made again has another id. */
async function schemasOf(store: string): Promise<Map<string, number>> {
  const prefix = new URL(store).searchParams.get("schema")!;
  const sql = "SELECT nspname AS name, oid FROM pg_namespace WHERE starts_with(nspname, $1)";
  const rows = await query<{ name: string; oid: number }>(sql, prefix);
  return new Map(rows.map(({ name, oid }) => [name.slice(prefix.length + 1), oid]));
}

test("--reset on PostgreSQL drops the index of the chain it begins again, and nothing else", async (t) => {
  const [store, other] = [emptyStore(server), emptyStore(server)];
  const unrelated = await openStore(other, 1);
  t.after(() => unrelated.close());
  const args = ["start", "--port", "0", "--data", temporaryDirectory(t), "--store", store, "--poll", "50"];
  const program = runProgram(t, args);
  const urls = await urlsOf(program);
  for (const url of Object.values(urls)) await callRpc(url, "evm_mine");
  await Promise.all(Object.values(urls).map((url) => indexes(url, 1)));
  const [before, unrelatedBefore] = [await schemasOf(store), await schemasOf(other)];

  const refused = await runProgram(t, [...args, "--network", "testnet", "--reset"]).ended;
  const whileRunning = await schemasOf(store);
  await program.stop();
  const again = runProgram(t, [...args, "--network", "testnet", "--reset"]);
  const { testnet } = await urlsOf(again, 1);
  await indexes(testnet!, 0);

  assert.match(refused.stderr, /^oriel: another process has the chain in \S+ open\n$/);
  assert.deepEqual([refused.code, whileRunning], [1, before]);
  assert.equal((await callRpc(testnet!, "eth_blockNumber")).result, "0x0");
  const after = await schemasOf(store);
  assert.deepEqual([...after.keys()].sort(), [...before.keys()].sort());
  const changed = [...after].filter(([name, oid]) => before.get(name) !== oid).map(([name]) => name);
  assert.deepEqual(changed, ["testnet_index"]);
  assert.deepEqual(await schemasOf(other), unrelatedBefore);
  const prefix = new URL(store).searchParams.get("schema");
  const blocks = await query<{ number: string }>(`SELECT number FROM ${prefix}_mainnet_index.block ORDER BY number`);
  assert.deepEqual(blocks, [{ number: "0" }, { number: "1" }]);
});
