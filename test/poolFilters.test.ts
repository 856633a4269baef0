import assert from "node:assert/strict";
import { test } from "node:test";
import { quantity } from "../src/chain/encoding/hex.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission } from "./support/developmentNode.ts";
import { serveBodies } from "./support/gatewayChain.ts";

interface ShownBlock {
  readonly hash: string;
  readonly transactions: readonly string[];
}

test("filters survive the loss of their node, and return everything once", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const emitter = await node.deploy(EMITTER);
  /** Which server made each filter. */
  const makers: number[] = [];
  const servers = await Promise.all(
    [0, 1].map((at) =>
      serveBodies(t, (body) => {
        if (body.includes("Filter") && body.includes("eth_new")) makers.push(at);
        return node.node.handle(body, true);
      }),
    ),
  );
  const pool = openPool(
    servers.map(({ url }) => url),
    { chainId: CHAIN_ID },
  );
  t.after(() => pool.close());
  const ask = async <T>(method: string, ...params: unknown[]) => JSON.parse(await pool.pass(method, params)) as T;
  const emit = () => node.send({ to: emitter, data: emission(1, 2) });
  const head = async () => Number(await node.ask("eth_blockNumber"));
  const logs = await ask<string>("eth_newFilter", { address: emitter });
  const blocks = await ask<string>("eth_newBlockFilter");
  const pending = await ask<string>("eth_newPendingTransactionFilter");
  const changes = (id: string) => ask<unknown[]>("eth_getFilterChanges", id);
  const logsSince = async (from: number) => {
    const range = { address: emitter, fromBlock: quantity(from), toBlock: quantity(await head()) };
    return node.ask<unknown[]>("eth_getLogs", range);
  };
  const blocksSince = async (from: number) => {
    const count = (await head()) - from + 1;
    const numbers = Array.from({ length: count }, (_, at) => quantity(from + at));
    const found = numbers.map((number) => node.ask<ShownBlock>("eth_getBlockByNumber", number, false));
    return Promise.all(found);
  };
  const hashesSince = async (from: number) => (await blocksSince(from)).map(({ hash }) => hash);

  const first = (await head()) + 1;
  for (let count = 0; count < 2; count++) await emit();
  assert.deepEqual(await changes(logs), await logsSince(first));
  assert.deepEqual(await changes(blocks), await hashesSince(first));
  const second = (await head()) + 1;
  await emit();
  const [lost, , pendingAt] = makers;
  servers[lost!]!.server.close();
  servers[lost!]!.server.closeAllConnections();
  for (let count = 0; count < 2; count++) await emit();

  assert.deepEqual(await changes(logs), await logsSince(second));
  assert.deepEqual(await changes(blocks), await hashesSince(second));
  // What was pending on a node that is gone, nobody knows.
  const seen = (await blocksSince(first)).flatMap(({ transactions }) => transactions);
  assert.deepEqual(await changes(pending), pendingAt === lost ? [] : seen);
  for (const id of [logs, blocks]) assert.deepEqual(await changes(id), []);
  const third = (await head()) + 1;
  await emit();
  assert.deepEqual(await changes(logs), await logsSince(third));
  assert.deepEqual(await changes(blocks), await hashesSince(third));
  assert.deepEqual(await ask("eth_getFilterLogs", logs), await logsSince(third));
  for (const id of [logs, blocks, pending]) assert.equal(await ask("eth_uninstallFilter", id), true);
  assert.equal(await ask("eth_uninstallFilter", logs), false);
  await assert.rejects(changes(logs), /no such filter/);
});
