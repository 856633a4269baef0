import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Methods } from "../../test/support/rpcServer.ts";
import {
  answerWell,
  blockHash,
  chainMethods,
  openNode,
  openServer,
  RpcFault,
  txHash,
  wireBlock,
  wireReceipt,
  wireReceipts,
  wireTransaction,
} from "../../test/support/rpcServer.ts";
import { fromHex, toHex } from "../chain/hex.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "./finality.ts";
import type { UpstreamOptions } from "./upstream.ts";
import { Upstream } from "./upstream.ts";

const retry = { baseMs: 1, maxDelayMs: 4, deadlineMs: 3000 };

function openUpstream(t: TestContext, options: UpstreamOptions): Upstream {
  const upstream = new Upstream({ retry, ...options });
  t.after(() => upstream.close());
  return upstream;
}

async function openBoth(t: TestContext, methods: Methods, options: Partial<UpstreamOptions> = {}) {
  const node = await openNode(t, methods);
  return { node, upstream: openUpstream(t, { url: node.url, ...options }) };
}

test("head gives the newest block and what the node calls safe and finalized, in one request", async (t) => {
  const { node, upstream } = await openBoth(t, chainMethods(100));

  const head = await upstream.head();

  assert.deepEqual(
    { ...head, hash: toHex(head.hash) },
    { number: 100, hash: blockHash(100), timestamp: 1_700_000_100, safe: 95, finalized: 91 },
  );
  assert.equal(node.posts.length, 2, "eth_chainId, then one batch");
});

test("callers who ask for the head at the same time share one request", async (t) => {
  const { node, upstream } = await openBoth(t, chainMethods(100));

  const heads = await Promise.all([upstream.head(), upstream.head(), upstream.head()]);

  assert.equal(new Set(heads).size, 1);
  assert.equal(node.methods().filter((method) => method === "eth_getBlockByNumber").length, 3);
  await upstream.head();
  assert.equal(node.methods().filter((method) => method === "eth_getBlockByNumber").length, 6);
});

test("a node that refuses the tags safe and finalized is given depths, and is not asked again", async (t) => {
  const chain = chainMethods(100);
  const { node, upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (id === "safe" || id === "finalized") throw new RpcFault(-32602, `invalid block tag ${id}`);
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  const { safe, finalized } = await upstream.head();
  await upstream.head();

  assert.deepEqual({ safe, finalized }, { safe: 100 - SAFE_DEPTH, finalized: 100 - FINALIZED_DEPTH });
  assert.equal(node.posts.at(-1)!.calls.length, 1);
});

test("a node that is only overloaded when asked for the tags is asked again", async (t) => {
  const chain = chainMethods(100);
  let isBusy = true;
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (id === "finalized" && isBusy) {
        isBusy = false;
        throw new RpcFault(-32005, "rate limited");
      }
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  assert.equal((await upstream.head()).finalized, 91);
});

test("a node without a finalized block yet is given a depth, never below zero, and asked again", async (t) => {
  const chain = chainMethods(10);
  let isFinal = false;
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (!isFinal && id === "safe") throw new RpcFault(-39001, "safe block not found");
      if (!isFinal && id === "finalized") return null;
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  const before = await upstream.head();
  isFinal = true;
  const after = await upstream.head();

  assert.deepEqual([before.safe, before.finalized, after.safe, after.finalized], [0, 0, 5, 1]);
});

test("finalized and safe never move back, nor above the head", async (t) => {
  let heights = { latest: 100, safe: 95, finalized: 90 };
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (tag: "latest" | "safe" | "finalized") => wireBlock(heights[tag]),
  });
  const settled = async () => {
    const { safe, finalized } = await upstream.head();
    return [safe, finalized];
  };

  assert.deepEqual(await settled(), [95, 90]);
  heights = { latest: 101, safe: 80, finalized: 70 };
  assert.deepEqual(await settled(), [95, 90]);
  heights = { latest: 92, safe: 99, finalized: 99 };
  assert.deepEqual(await settled(), [92, 92]);
});

test("a node that has named a finalized block once is not given a depth when it names none", async (t) => {
  let finalized: unknown = wireBlock(10);
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (tag: string) => (tag === "finalized" ? finalized : wireBlock(200)),
  });

  assert.equal((await upstream.head()).finalized, 10);
  finalized = null;
  assert.equal((await upstream.head()).finalized, 10);
});

test("an authoritative source that goes back takes finality with it", async (t) => {
  let head = 100;
  const methods = { eth_getBlockByNumber: (tag: never) => chainMethods(head).eth_getBlockByNumber!(tag) };
  const { upstream } = await openBoth(t, methods, { authoritative: true });

  await upstream.head();
  head = 50;
  await upstream.head();
  head = 51;

  assert.equal((await upstream.head()).finalized, 42);
});

test("hashes are those of the heights asked, undefined where there is no block", async (t) => {
  const { upstream } = await openBoth(t, chainMethods(5));

  const hashes = await upstream.hashes([5, 2, 6]);

  assert.deepEqual(
    hashes.map((hash) => hash && toHex(hash)),
    [blockHash(5), blockHash(2), undefined],
  );
});

test("a block under another number than asked is refused", async (t) => {
  const { upstream } = await openBoth(t, { eth_getBlockByNumber: () => wireBlock(7) });

  await assert.rejects(upstream.hashes([6]), { code: "upstream_invalid", message: /block\.number/ });
  await assert.rejects(upstream.blocks(6, 1), { code: "upstream_invalid" });
  await assert.rejects(upstream.block(6), { code: "upstream_invalid" });
});

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

test("an empty body under a header that commits to transactions is refused", async (t) => {
  const methods = { eth_getBlockByNumber: (id: string) => ({ ...wireBlock(Number(id), 1), transactions: [] }) };
  const { upstream } = await openBoth(t, methods);

  await assert.rejects(upstream.blocks(1, 1), { code: "upstream_invalid", message: /transactionsRoot/ });
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
  const large = { ...wireBlock(0), extraData: `0x${"00".repeat(250_000)}` };
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

  const liar = await openBoth(t, { eth_getBlockByHash: () => wireBlock(1) });
  await assert.rejects(liar.upstream.block(fromHex(blockHash(4))), { code: "upstream_invalid" });
});

test("a mined transaction comes with its whole block, a pending one without, an unknown one not at all", async (t) => {
  const chain = chainMethods(9, () => 2);
  const pending = { ...wireTransaction(20, 0), blockHash: null, blockNumber: null, transactionIndex: null };
  const { upstream } = await openBoth(t, {
    ...chain,
    eth_getTransactionByHash: (hash: string) =>
      hash === txHash(20, 0) ? pending : chain.eth_getTransactionByHash!(hash as never),
  });

  const mined = await upstream.transaction(fromHex(txHash(4, 1)));
  const waiting = await upstream.transaction(fromHex(txHash(20, 0)));

  assert.equal(mined!.block!.header.number, 4);
  assert.equal(mined!.transaction, mined!.block!.transactions[1]);
  assert.equal(toHex(waiting!.transaction.hash), txHash(20, 0));
  assert.equal(waiting!.block, undefined);
  assert.equal(await upstream.transaction(fromHex(txHash(30, 0))), undefined);
});

test("a transaction whose block does not hold it is refused", async (t) => {
  const chain = chainMethods(9, () => 2);
  const eth_getTransactionByHash = () => ({ ...wireTransaction(4, 0), hash: txHash(4, 5) });
  const { upstream } = await openBoth(t, { ...chain, eth_getTransactionByHash });

  await assert.rejects(upstream.transaction(fromHex(txHash(4, 5))), { code: "upstream_invalid" });
});

test("request passes a result through, null included, and an error with its code", async (t) => {
  const { upstream } = await openBoth(t, {
    eth_getTransactionReceipt: () => wireReceipt(1, 0),
    eth_getCode: () => null,
    eth_call: () => {
      throw new RpcFault(3, "execution reverted: timeout");
    },
  });

  assert.deepEqual(await upstream.request("eth_getTransactionReceipt", ["0x"]), wireReceipt(1, 0));
  assert.equal(await upstream.request("eth_getCode", []), null);
  await assert.rejects(upstream.request("eth_call", []), {
    code: "upstream_rejected",
    rpc: { code: 3, message: "execution reverted: timeout" },
  });
});

test("what sends a transaction is never repeated", async (t) => {
  let sent = 0;
  const node = await openServer(t, (post) => {
    if (post.calls[0]!.method === "eth_chainId") return answerWell({}, post);
    sent++;
    post.response.writeHead(503).end();
  });
  const upstream = openUpstream(t, { url: node.url });

  await assert.rejects(upstream.request("eth_sendRawTransaction", ["0x"]), { code: "upstream_unavailable" });

  assert.equal(sent, 1);
});

test("metrics count requests, retries, bytes and failures by code", async (t) => {
  const { upstream } = await openBoth(t, chainMethods(5));

  await upstream.hashes([1]);
  await assert.rejects(upstream.request("eth_getNothing", []), { code: "upstream_rejected" });

  const { requests, retries, bytesReceived, failures } = upstream.metrics;
  assert.deepEqual({ requests, retries, failures }, { requests: 3, retries: 0, failures: { upstream_rejected: 1 } });
  assert.ok(bytesReceived > 500);
});
