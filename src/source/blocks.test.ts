import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { openBoth, openFaulty } from "../../test/support/faultyNode.ts";
import {
  answerWell,
  blockHash,
  chainMethods,
  RpcFault,
  txHash,
  wireBlock,
  wireReceipts,
} from "../../test/support/rpcServer.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";

test("blocks come with receipts asked by hash, and none are asked for an empty block", async (t) => {
  const { node, upstream } = await openBoth(
    t,
    chainMethods(9, (number) => number % 2),
  );

  const blocks = await upstream.blocks(4, 4);

  assert.deepEqual(
    blocks.map(({ header, transactions, receipts }) => [header.number, transactions.length, receipts.length]),
    [
      [4, 0, 0],
      [5, 1, 1],
      [6, 0, 0],
      [7, 1, 1],
    ],
  );
  const asked = node.posts.flatMap(({ calls }) => calls).filter(({ method }) => method === "eth_getBlockReceipts");
  assert.deepEqual(
    asked.map(({ params }) => params),
    [[blockHash(5)], [blockHash(7)]],
  );
  assert.equal(node.posts.length, 3);
});

test("blocks end where the node ends", async (t) => {
  const { upstream } = await openBoth(t, chainMethods(6));

  assert.equal((await upstream.blocks(5, 10)).length, 2);
  assert.deepEqual(await upstream.blocks(7, 3), []);
  assert.equal(await upstream.block(7), undefined);
});

test("an empty body under a header that commits to transactions is asked for again", async (t) => {
  const chain = chainMethods(9, () => 1);
  let asked = 0;
  const { upstream } = await openBoth(t, {
    ...chain,
    eth_getBlockByNumber: (id: string) =>
      asked++ === 0 ? { ...wireBlock(Number(id), 1), transactions: [] } : chain.eth_getBlockByNumber!(id as never),
  });

  const [block] = await upstream.blocks(1, 1);

  assert.equal(block!.transactions.length, 1);
  assert.equal(upstream.metrics.retries, 1);
});

test("a node that has no transactions under such a header each time is taken at its word, for a check to judge", async (t) => {
  const transactionsRoot = `0x${"77".repeat(32)}`;
  const methods = { eth_getBlockByNumber: (id: string) => ({ ...wireBlock(Number(id), 0), transactionsRoot }) };
  const { node, upstream } = await openBoth(t, methods);

  const blocks = await upstream.blocks(1, 2);
  const asked = node.posts.length;
  const again = await upstream.blocks(1, 1);

  assert.deepEqual([blocks[0]!.transactions, again[0]!.transactions], [[], []]);
  assert.ok(asked > 3, `${asked}`);
  assert.equal(node.posts.length, asked + 1);
});

test("the keccak of nothing says of transactions that there are none, as in hardhat's first block", async (t) => {
  const transactionsRoot = toHex(keccak256(new Uint8Array(0)));
  const methods = { eth_getBlockByNumber: (id: string) => ({ ...wireBlock(Number(id)), transactionsRoot }) };
  const { upstream } = await openBoth(t, methods);

  assert.equal((await upstream.blocks(0, 2)).length, 2);
  assert.equal(upstream.metrics.retries, 0);
});

test("a block that cannot be decoded is named, and the field with it", async (t) => {
  const chain = chainMethods(9, () => 1);
  const eth_getBlockReceipts = () => [{ ...wireReceipts(4, 1)[0]!, status: "0x7" }];
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts });

  await assert.rejects(upstream.blocks(4, 1), { message: /^block 4: receipt.status: expected 0x0 or 0x1, .* "0x7"$/ });
});

test("receipts a node does not have yet are asked again until it has them", async (t) => {
  const chain = chainMethods(9, () => 2);
  const answers: unknown[] = [null, [], wireReceipts(3, 1)];
  const eth_getBlockReceipts = (id: string) =>
    answers.length > 0 ? answers.shift() : chain.eth_getBlockReceipts!(id as never);
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts });

  const [block] = await upstream.blocks(3, 1);

  assert.equal(block!.receipts.length, 2);
  assert.equal(upstream.metrics.retries, 3);
});

test("receipts that never come end in upstream_unavailable, and only for their block", async (t) => {
  const chain = chainMethods(9, () => 1);
  const eth_getBlockReceipts = (hash: string) =>
    hash === blockHash(5) ? null : chain.eth_getBlockReceipts!(hash as never);
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts });

  assert.equal((await upstream.blocks(3, 5)).length, 2);
  await assert.rejects(upstream.blocks(5, 1), { code: "upstream_unavailable", message: /receipts of block 5/ });
});

test("a chain that changes between block and receipts is asked for the block again", async (t) => {
  for (const code of [-32000, -32001]) await assertFollowed(t, new RpcFault(code, "Block could not be found"));
  await assertFollowed(t, undefined);
});

async function assertFollowed(t: TestContext, fault: RpcFault | undefined): Promise<void> {
  const chain = chainMethods(9, () => 1);
  const stale = { ...wireBlock(4, 1), hash: blockHash(999) };
  let asked = 0;
  const { upstream } = await openBoth(t, {
    ...chain,
    eth_getBlockByNumber: (id: string) => (asked++ === 0 ? stale : chain.eth_getBlockByNumber!(id as never)),
    eth_getBlockReceipts: (hash: string) => {
      if (hash === stale.hash && fault !== undefined) throw fault;
      return chain.eth_getBlockReceipts!(hash as never);
    },
  });

  const [block] = await upstream.blocks(4, 1);

  assert.equal(toHex(block!.header.hash), blockHash(4));
  assert.equal(upstream.metrics.retries, 1);
}

test("a block without a hash is refused before its receipts are asked for", async (t) => {
  const eth_getBlockByNumber = (id: string) => ({ ...wireBlock(Number(id), 1), hash: null });
  const { node, upstream } = await openBoth(t, { ...chainMethods(9), eth_getBlockByNumber });

  await assert.rejects(upstream.blocks(4, 1), { code: "upstream_invalid", message: /block\.hash/ });
  assert.ok(!node.methods().includes("eth_getBlockReceipts"));
});

test("receipts of another block are refused", async (t) => {
  const chain = chainMethods(9, () => 1);
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts: () => wireReceipts(8, 1) });

  await assert.rejects(upstream.blocks(4, 1), { code: "upstream_invalid" });
});

test("a node without eth_getBlockReceipts is asked for single receipts from then on", async (t) => {
  for (const fault of [
    new RpcFault(-32601, "the method eth_getBlockReceipts does not exist/is not available"),
    new RpcFault(-32601, "Method eth_getBlockReceipts not found"),
    new RpcFault(-32000, "method eth_getBlockReceipts not found"),
    new RpcFault(-32000, "Method not supported"),
  ]) {
    const chain = chainMethods(9, () => 3);
    const eth_getBlockReceipts = () => {
      throw fault;
    };
    const { node, upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts });

    const blocks = await upstream.blocks(1, 2);
    await upstream.blocks(3, 2);

    assert.deepEqual(
      blocks.map(({ receipts }) => receipts.length),
      [3, 3],
    );
    const withBlocks = node.posts.filter(({ calls }) => calls[0]!.method === "eth_getBlockReceipts");
    assert.equal(withBlocks.length, 1);
  }
});

test("a single receipt that stays null ends in upstream_unavailable", async (t) => {
  const { eth_getBlockByNumber } = chainMethods(9, () => 2);
  const methods = { eth_getBlockByNumber: eth_getBlockByNumber!, eth_getTransactionReceipt: () => null };
  const { upstream } = await openBoth(t, methods);

  await assert.rejects(upstream.blocks(1, 1), { code: "upstream_unavailable" });
});

test("a single receipt that is null is asked again", async (t) => {
  const chain = chainMethods(9, () => 2);
  let isReady = false;
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: chain.eth_getBlockByNumber!,
    eth_getTransactionReceipt: (hash: string) => {
      if (hash === txHash(1, 1) && !isReady) {
        isReady = true;
        return null;
      }
      return chain.eth_getTransactionReceipt!(hash as never);
    },
  });

  const [block] = await upstream.blocks(1, 1);

  assert.equal(block!.receipts.length, 2);
});

test("a node that takes only numbers for eth_getBlockReceipts is asked by number", async (t) => {
  const chain = chainMethods(9, () => 1);
  const { node, upstream } = await openBoth(t, {
    ...chain,
    eth_getBlockReceipts: (id: string) => {
      if (id.length === 66) throw new RpcFault(-32602, "invalid argument 0: hex number > 64 bits");
      return chain.eth_getBlockReceipts!(id as never);
    },
  });

  await upstream.blocks(2, 1);
  await upstream.blocks(3, 1);

  const asked = node.posts.flatMap(({ calls }) => calls).filter(({ method }) => method === "eth_getBlockReceipts");
  assert.deepEqual(
    asked.map(({ params }) => params[0]),
    [blockHash(2), "0x2", "0x3"],
  );
});

test("one call for blocks brings about two megabytes, learned from the blocks before", async (t) => {
  const large = { ...wireBlock(0), note: "0".repeat(500_000) };
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => ({ ...large, number: id, hash: blockHash(Number(id)) }),
  });

  const first = await upstream.blocks(0, 100);
  const second = await upstream.blocks(first.length, 100);

  assert.equal(first.length, 16);
  assert.equal(second.length, 4);
  assert.equal(second[0]!.header.number, 16);
});

test("block by hash is the block of that hash", async (t) => {
  const { upstream } = await openBoth(
    t,
    chainMethods(9, () => 1),
  );

  assert.equal((await upstream.block(fromHex(blockHash(4))))!.header.number, 4);
  assert.equal(await upstream.block(fromHex(blockHash(10))), undefined);

  const faulty = await openBoth(t, { eth_getBlockByHash: () => wireBlock(1) });
  await assert.rejects(faulty.upstream.block(fromHex(blockHash(4))), { code: "upstream_invalid" });
});

test("receipts too large for one answer are asked for one by one", async (t) => {
  const size = (number: number) => (number === 4 ? 40 : 1);
  const { node, upstream } = await openBoth(t, chainMethods(9, size), { maxBytes: 30_000 });

  const blocks = [...(await upstream.blocks(3, 2)), ...(await upstream.blocks(4, 3))];

  assert.deepEqual(
    blocks.map(({ header, receipts }) => [header.number, receipts.length]),
    [
      [3, 1],
      [4, 40],
    ],
  );
  assert.equal(node.methods().filter((method) => method === "eth_getTransactionReceipt").length, 40);
});

test("receipts that the node finds too large for one answer are asked for one by one", async (t) => {
  const chain = chainMethods(9, () => 3);
  const eth_getBlockReceipts = () => {
    throw new RpcFault(-32000, "response too large");
  };
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts });

  const [block] = await upstream.blocks(3, 1);

  assert.deepEqual(
    block!.receipts.map(({ cumulativeGasUsed }) => cumulativeGasUsed),
    [21_000, 42_000, 63_000],
  );
});

test("a receipt that is missing among those asked for one by one is asked again", async (t) => {
  const chain = chainMethods(9, () => 40);
  let isThere = false;
  const eth_getTransactionReceipt = (hash: string) => {
    if (hash !== txHash(4, 7) || isThere) return chain.eth_getTransactionReceipt!(hash as never);
    isThere = true;
    return null;
  };
  const { upstream } = await openBoth(t, { ...chain, eth_getTransactionReceipt }, { maxBytes: 30_000 });

  assert.equal((await upstream.blocks(4, 1))[0]!.receipts.length, 40);
});

test("no more is asked for when a few megabytes are there, whatever blocks were expected to have", async (t) => {
  const note = "00".repeat(8000);
  const chain = chainMethods(60, () => 1);
  const heavy = (hash: string) =>
    (chain.eth_getBlockReceipts!(hash as never) as object[]).map((receipt) => ({ ...receipt, note: note.repeat(150) }));
  const { upstream } = await openBoth(t, { ...chain, eth_getBlockReceipts: heavy });

  const blocks = await upstream.blocks(1, 60);

  assert.ok(blocks.length >= 1 && blocks.length < 4, `${blocks.length} blocks`);
  assert.ok(upstream.metrics.bytesReceived < 12 << 20, `${upstream.metrics.bytesReceived} bytes`);
});

test("blocks that used gas and come without transactions are refused, however many are asked for at once", async (t) => {
  const root = (id: string) => toHex(keccak256(Buffer.from(id)));
  const methods = {
    eth_getBlockByNumber: (id: string) => ({
      ...wireBlock(Number(id), 1),
      ...{ transactions: [], transactionsRoot: root(id) },
    }),
  };
  const { node, upstream } = await openBoth(t, methods);

  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((number) => upstream.blocks(number, 1)));

  for (const outcome of outcomes) {
    assert.equal(outcome.status, "rejected");
    assert.match(String(outcome.reason), /transactionsRoot/);
  }
  assert.ok(node.posts.length < 40, `${node.posts.length} posts`);
});

test("empty blocks without gas under any root are taken at the node's word, also at once", async (t) => {
  const methods = {
    eth_getBlockByNumber: (id: string) => ({
      ...wireBlock(Number(id), 0),
      transactionsRoot: toHex(keccak256(Buffer.from(id))),
    }),
  };
  const { node, upstream } = await openBoth(t, methods);

  const blocks = await Promise.all([1, 2, 3, 4].map((number) => upstream.blocks(number, 1)));

  assert.deepEqual(
    blocks.map((part) => part.length),
    [1, 1, 1, 1],
  );
  assert.ok(node.posts.length < 40, `${node.posts.length} posts`);
});

test("receipts that a proxy cuts off for their size are asked for one by one", async (t) => {
  const chain = chainMethods(9, () => 3);
  const { upstream } = await openFaulty(t, (post) => {
    if (post.calls[0]!.method === "eth_getBlockReceipts") post.response.writeHead(504).end();
    else answerWell(chain, post);
  });

  const [block] = await upstream.blocks(3, 1);

  assert.equal(block!.receipts.length, 3);
});
