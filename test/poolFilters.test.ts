import assert from "node:assert/strict";
import { test } from "node:test";
import { quantity } from "../src/chain/encoding/hex.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission } from "./support/developmentNode.ts";
import { serveBodies } from "./support/gatewayChain.ts";

test("filters survive the loss of their node, and return everything once", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const emitter = await node.deploy(EMITTER);
  const created = [0, 0];
  const servers = await Promise.all(
    created.map((_, at) =>
      serveBodies(t, (body) => {
        if (body.includes("Filter") && body.includes("eth_new")) created[at]!++;
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
  const hashesSince = async (from: number) => {
    const count = (await head()) - from + 1;
    const numbers = Array.from({ length: count }, (_, at) => quantity(from + at));
    const found = numbers.map((number) => node.ask<{ hash: string }>("eth_getBlockByNumber", number, false));
    return (await Promise.all(found)).map(({ hash }) => hash);
  };

  const first = (await head()) + 1;
  for (let count = 0; count < 2; count++) await emit();
  assert.deepEqual(await changes(logs), await logsSince(first));
  assert.deepEqual(await changes(blocks), await hashesSince(first));
  const second = (await head()) + 1;
  await emit();
  const owner = created.findIndex((count) => count > 0);
  servers[owner]!.server.close();
  servers[owner]!.server.closeAllConnections();
  for (let count = 0; count < 2; count++) await emit();

  assert.deepEqual(await changes(logs), await logsSince(second));
  assert.deepEqual(await changes(blocks), await hashesSince(second));
  assert.deepEqual(await changes(pending), []);
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
