import assert from "node:assert/strict";
import { test } from "node:test";
import { FollowedChain } from "./support/followedChain.ts";
import { until } from "./support/program.ts";

test("transaction stats count what waits in the node's pool", async (t) => {
  const followed = await FollowedChain.open(t);
  followed.start();
  const { chain } = followed;
  const pending = async () => (await followed.get("/api/v2/transactions/stats")).body.pending_transactions_count;
  assert.equal(await pending(), "0");

  await chain.ask("evm_setAutomine", false);
  await chain.send();
  await chain.send();
  // What needs another nonce first could not be in the next block.
  await chain.send({ nonce: 7 });
  await until("both are counted", async () => (await pending()) === "2");

  await chain.ask("evm_mine");
  await followed.settle();
  await until("none is counted", async () => (await pending()) === "0");
});
