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

test("account/pendingtxlist lists what waits from and to an address, in the node's words", async (t) => {
  const followed = await FollowedChain.open(t);
  followed.start();
  const { chain } = followed;
  await chain.ask("evm_setAutomine", false);
  const to = `0x${"ab".repeat(20)}`;
  const hashes = [await chain.send({ value: 1n }), await chain.send({ to: to as Hex, value: 2n })];
  const list = async (address: string, page = "") =>
    (await followed.get(`/api?module=account&action=pendingtxlist&address=${address}${page}`)).body;

  await until("both are listed", async () => ((await list(chain.account.address)).result as unknown[]).length === 2);

  const expected = await Promise.all(
    hashes.map(async (hash) => {
      const tx = await chain.ask<Record<string, string>>("eth_getTransactionByHash", hash);
      const { from, to, input } = tx;
      const [nonce, value, gas] = [tx.nonce, tx.value, tx.gas].map((hex) => String(BigInt(hex!)));
      const gasPrice = String(BigInt(tx.gasPrice ?? tx.maxFeePerGas!));
      const none = { contractAddress: "", cumulativeGasUsed: "", gasUsed: "" };
      return { hash, nonce, from, to, value, gas, gasPrice, input, ...none };
    }),
  );
  assert.deepEqual((await list(chain.account.address)).result, expected);
  assert.deepEqual((await list(to)).result, expected.slice(1));
  assert.deepEqual((await list(chain.account.address, "&page=2&offset=1")).result, expected.slice(1));
  assert.equal((await list(`0x${"cd".repeat(20)}`)).message, "No transactions found");
});
