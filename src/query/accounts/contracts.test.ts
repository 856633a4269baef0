import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Served } from "../../../test/support/api.ts";
import { serveChain } from "../../../test/support/api.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { QueryContext } from "../context.ts";
import { openQueryContext } from "../context.ts";
import { listContracts } from "./contracts.ts";

let served: Served;
let context: QueryContext;
let withoutNode: QueryContext;

before(async () => {
  served = await serveChain({ seed: 3, blocks: 17, traffic: { transactions: [100, 120] } });
  context = openQueryContext({ store: served.store, source: simulatedSource(served.chain) });
  withoutNode = openQueryContext({ store: served.store });
});

after(async () => {
  await context.decoder.close();
  await withoutNode.decoder.close();
  await served.close();
});

test("contracts without code are searched for among so many and no more", async () => {
  const window = { skip: 0, limit: 1000 };
  const { length } = await listContracts(context, undefined, window);

  assert.ok(length > 100 && length <= 200, `${length}`);
  assert.deepEqual(await listContracts(context, "empty", window, 200), []);
  await assert.rejects(listContracts(context, "empty", window, 100), { code: "limit_exceeded" });
});

test("without a node, code is unknown, and the other contracts are listed", async () => {
  const window = { skip: 2, limit: 3 };

  await assert.rejects(listContracts(withoutNode, "empty", window), { code: "upstream_unavailable" });
  assert.deepEqual(
    await listContracts(withoutNode, "unverified", window),
    await listContracts(context, undefined, window),
  );
});
