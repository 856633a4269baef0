import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { DevelopmentNode } from "../../../test/support/developmentNode.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { quantity } from "../../chain/encoding/hex.ts";

type Block = { readonly transactions: readonly Hex[] };

async function openIn(t: TestContext, directory?: string): Promise<DevelopmentNode> {
  const node = await DevelopmentNode.open({ directory });
  t.after(() => node.close().catch(() => {}));
  return node;
}

const heightOf = async (node: DevelopmentNode) => Number(await node.ask("eth_blockNumber"));

async function blockOf(node: DevelopmentNode, hash: Hex): Promise<number | undefined> {
  const { blockNumber } = (await node.ask<{ blockNumber: Hex | null } | null>("eth_getTransactionByHash", hash)) ?? {};
  return blockNumber == null ? undefined : Number(blockNumber);
}

test("what waited when the node ended is mined when it opens again, if nothing else is to be waited for", async (t) => {
  const directory = temporaryDirectory(t);
  const before = await openIn(t, directory);
  await before.ask("evm_setAutomine", false);
  const [first, replaced] = [await before.send(), await before.send()];
  const second = await before.send({ nonce: 1, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n });
  const early = await before.send({ nonce: 5 });
  await before.close();

  const after = await openIn(t, directory);

  assert.deepEqual([await blockOf(after, first), await blockOf(after, second)], [1, 1]);
  assert.equal(await after.ask("eth_getTransactionByHash", replaced), null);
  assert.equal(await heightOf(after), 1, "what waits for earlier ones makes no block");
  assert.deepEqual(await after.ask("txpool_status"), { pending: "0x0", queued: "0x1" });
  const kept = after.node.context.chain.database.pooled().map(({ hash }) => `0x${Buffer.from(hash).toString("hex")}`);
  assert.deepEqual(kept, [early], "what was replaced is not kept either");
});

test("transactions that arrive while a block is mined are all mined, without empty blocks", async (t) => {
  const node = await openIn(t);
  const raws = await Promise.all(Array.from({ length: 120 }, (_, nonce) => node.sign({ nonce })));
  const sent = await Promise.all(
    raws.map(async (raw, nonce) => {
      for (let turn = 0; turn < nonce; turn++) await yieldToEventLoop();
      return node.ask<Hex>("eth_sendRawTransaction", raw);
    }),
  );
  const height = await heightOf(node);

  for (const hash of sent) assert.ok((await blockOf(node, hash)) !== undefined, hash);
  assert.ok(height > 3, `${height} blocks`);
  for (let number = 1; number <= height; number++) {
    const { transactions } = await node.ask<Block>("eth_getBlockByNumber", quantity(number), false);
    assert.ok(transactions.length > 0, `block ${number} of ${height}`);
  }
});

test("a transaction that cannot be mined yet makes no block", async (t) => {
  const node = await openIn(t);
  await node.send({ nonce: 1 });
  assert.equal(await heightOf(node), 0);

  await node.send({ nonce: 0 });
  assert.equal(await heightOf(node), 1);
});

test("a node that ends in the middle of a revert has gone back with what waited, or not at all", async (t) => {
  const directory = temporaryDirectory(t);
  const before = await openIn(t, directory);
  const { chain } = before.node.context;
  await before.ask("evm_setAutomine", false);
  const sent = await before.send();
  const id = await before.ask<Hex>("evm_snapshot");
  await before.ask("evm_mine");
  chain.watch(() => chain.close());

  await before.ask("evm_revert", id).catch(() => {});

  const after = await DevelopmentNode.open({ directory, mines: false });
  t.after(() => after.close());
  assert.equal(await heightOf(after), 0);
  assert.equal(await blockOf(after, sent), undefined);
  assert.notEqual(await after.ask("eth_getTransactionByHash", sent), null);
});
