import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { until } from "./support/waiting.ts";

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

test("pending transactions are those of the node's pool, by type too", async (t) => {
  const followed = await FollowedChain.open(t);
  followed.start();
  const { chain } = followed;
  await chain.ask("evm_setAutomine", false);
  const list = async (query: string) => {
    const { status, body } = await followed.get(`/api/v2/transactions?filter=pending${query}`);
    assert.equal(status, 200);
    return body as { items: { hash: Hex; status: null; block_number: null }[]; total_count: number };
  };

  const hashes = [await chain.send({ value: 1n }), await chain.send({ value: 2n }), await chain.send({ value: 0n })];
  await until("all are listed", async () => (await list("")).total_count === 3);

  const { items } = await list("");
  assert.deepEqual(
    items.map(({ hash, status, block_number }) => [hash, status, block_number]),
    hashes.map((hash) => [hash, null, null]),
  );
  assert.deepEqual(
    (await list("&type=coin_transfer")).items.map(({ hash }) => hash),
    hashes.slice(0, 2),
  );
  assert.deepEqual(
    (await list("&page=2&page_size=2")).items.map(({ hash }) => hash),
    hashes.slice(2),
  );
});
