import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { SimulatedChain } from "../../../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../../../test/support/simulatedSource.ts";
import { Indexer } from "../../../../indexer/indexer.ts";
import { STAGES } from "../../../../indexer/stages.ts";
import { openStore } from "../../../openStore.ts";

describeEngines((tested) => {
  async function labelsFrom(fromBlock: number): Promise<string[]> {
    const chain = new SimulatedChain({ seed: 4, traffic: { logs: [0, 12] } });
    chain.mine(30);
    const store = await openStore(tested.memory, chain.chainId);
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES, fromBlock });
    while ((await indexer.step()) !== "idle");
    const ids = (await store.database.all("SELECT id FROM token")).map(([id]) => id as number);
    const tokens = await store.latest.tokens.byId(ids);
    await store.close();
    assert.ok(tokens.size > 2);
    return [...tokens.values()].flatMap(({ labels }) => labels);
  }

  test("a ledger that began later than the chain is held against no token", async () => {
    assert.ok((await labelsFrom(0)).includes("inconsistent"));
    assert.deepEqual(await labelsFrom(10), []);
  });
});
