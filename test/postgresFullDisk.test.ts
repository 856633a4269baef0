import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { emptyStore, startPostgres, USER } from "./support/postgresServer.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { mountSmallDisk } from "./support/smallDisk.ts";
import { until } from "./support/waiting.ts";

const MEGABYTES = 64;

test("on a full disk of PostgreSQL indexing pauses and reads go on, and a start is refused", async (t) => {
  const disk = mountSmallDisk(t, MEGABYTES, USER.uid);
  if (disk === undefined) return t.skip("a file system cannot be mounted here");
  const server = await startPostgres();
  t.after(() => server.stop());
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
  await client.query("ALTER ROLE postgres SET default_tablespace = 'small'");
  await client.end();
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [20, 30] } });
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  const run = (store: string) => {
    const data = temporaryDirectory(t);
    return runProgram(t, [
      ...["start", "--rpc", node.url, "--store", store, "--data", data, "--port", "0", "--poll", "50"],
    ]);
  };
  const isAtHead = async () => {
    const { body } = await get(`${url}/status`);
    return (body.indexed as { hash: string } | null)?.hash === chain.head.hash;
  };
  chain.mine(5);
  const program = run(emptyStore(server.url));
  const url = await program.url();
  await until("the head is indexed", isAtHead);

  disk.fill();
  await until("indexing pauses", async () => {
    chain.mine(1);
    return /store_full|cannot be written/.test(program.stdout + program.stderr);
  });
  const { status } = await get(`${url}/api/v2/blocks?items_count=3`);
  const refused = await run(emptyStore(server.url)).ended;
  disk.free();

  assert.equal(status, 200);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^[^\n]*cannot be written[^\n]*No space left on device\n$/);
  await until("the head is indexed again", isAtHead);
});
