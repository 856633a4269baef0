import assert from "node:assert/strict";
import { test } from "node:test";
import { openBoth, openUpstream } from "../../test/support/faultyNode.ts";
import {
  answerWell,
  blockHash,
  chainMethods,
  openServer,
  RpcFault,
  txHash,
  wireBlock,
  wireReceipt,
  wireTransaction,
} from "../../test/support/rpcServer.ts";
import { fromHex, toHex } from "../chain/encoding/hex.ts";

test("head gives the newest block and what the node calls safe and finalized, in one request", async (t) => {
  const { node, upstream } = await openBoth(t, chainMethods(100));

  const head = await upstream.head();

  assert.deepEqual(
    { ...head, hash: toHex(head.hash) },
    { number: 100, hash: blockHash(100), timestamp: 1_700_000_100, safe: 95, finalized: 91 },
  );
  assert.equal(node.posts.length, 2, "eth_chainId, then one batch");
});

test("some reads go in one request, in their order, and fail together", async (t) => {
  const eth_getCode = (address: string) => {
    if (address === "0x3") throw new RpcFault(-32000, "missing trie node");
    return `${address}0`;
  };
  const { node, upstream } = await openBoth(t, { ...chainMethods(100), eth_getCode });
  const codeOf = (address: string) => ({ method: "eth_getCode", params: [address] });

  assert.deepEqual(await upstream.requests(["0x2", "0x1"].map(codeOf)), ["0x20", "0x10"]);
  assert.equal(node.posts.length, 2, "eth_chainId, then one batch");
  await assert.rejects(upstream.requests(["0x2", "0x3"].map(codeOf)), { code: "upstream_rejected" });
  assert.deepEqual(await upstream.requests([]), []);
});

test("an answer that is larger than the caller wants is refused, and not asked for again", async (t) => {
  const { node, upstream } = await openBoth(t, { ...chainMethods(100), debug_trace: () => "x".repeat(10_000) });

  assert.equal(((await upstream.request("debug_trace", [], 20_000)) as string).length, 10_000);
  await assert.rejects(upstream.request("debug_trace", [], 5000), { code: "limit_exceeded" });
  assert.equal(node.methods().filter((method) => method === "debug_trace").length, 2);
});

test("callers who ask for the head at the same time share one request", async (t) => {
  const { node, upstream } = await openBoth(t, chainMethods(100));

  const heads = await Promise.all([upstream.head(), upstream.head(), upstream.head()]);

  assert.equal(new Set(heads).size, 1);
  assert.equal(node.methods().filter((method) => method === "eth_getBlockByNumber").length, 3);
  await upstream.head();
  assert.equal(node.methods().filter((method) => method === "eth_getBlockByNumber").length, 4);
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
