import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  assertHashes,
  chain,
  openFaulty,
  openFaultyOnce,
  openUpstream,
  quickRetry,
  right,
} from "../../test/support/faultyNode.ts";
import type { Post } from "../../test/support/rpcServer.ts";
import { answerWell, openServer, sendJson, wireBlock } from "../../test/support/rpcServer.ts";
import { MAX_ANSWER_BYTES, MAX_OUTLINE_BYTES, MAX_SMALL_BYTES, maxResultBytes } from "./resultSizes.ts";
import { Upstream } from "./upstream.ts";

test("answers of a batch in another order are matched by id", async (t) => {
  const { upstream } = await openFaulty(t, ({ calls, response }) => sendJson(response, calls.map(right).reverse()));

  await assertHashes(upstream, [3, 1, 2]);
  assert.equal(upstream.metrics.retries, 0);
});

test("ids that come back as text are the same ids", async (t) => {
  const { upstream } = await openFaulty(t, ({ calls, response }) =>
    sendJson(
      response,
      calls.map((call) => ({ ...right(call), id: String(call.id) })),
    ),
  );

  await assertHashes(upstream, [3, 1]);
});

test("only what a short batch left out is asked again", async (t) => {
  const { upstream, asked } = await openFaultyOnce(t, ({ calls, response }) => {
    sendJson(response, [calls[0]!, calls[2]!].map(right));
  });

  await assertHashes(upstream, [1, 2, 3]);
  assert.deepEqual(asked()[1]!.calls[0]!.params, ["0x2", false]);
  assert.equal(asked()[1]!.calls.length, 1);
});

test("an id answered twice, and a wrong id, count as no answer", async (t) => {
  const { upstream, asked } = await openFaultyOnce(t, ({ calls, response }) => {
    const [first, , third] = calls.map(right);
    sendJson(response, [first, first, { ...third, id: 99_999 }]);
  });

  await assertHashes(upstream, [1, 2, 3]);
  assert.equal(asked()[1]!.calls.length, 3);
});

test("a single call answered under another id is never taken", async (t) => {
  const { upstream } = await openFaulty(t, ({ calls, response }) =>
    sendJson(response, { ...right(calls[0]!), id: calls[0]!.id + 1 }),
  );

  await assert.rejects(upstream.hashes([1]), {
    code: "upstream_invalid",
    message: /no answer to eth_getBlockByNumber/,
  });
});

test("an error of one call in a batch is asked again if it passes, and thrown if it stays", async (t) => {
  const failing = (code: number, message: string) => (post: Post) => {
    const [first, second] = post.calls;
    sendJson(post.response, [right(first!), { id: second!.id, error: { code, message } }]);
  };
  const limited = await openFaultyOnce(t, failing(-32005, "limit exceeded"));
  const refused = await openFaultyOnce(t, failing(-32602, "no such block"));

  await assertHashes(limited.upstream, [1, 2]);
  assert.equal(limited.asked()[1]!.calls.length, 1);
  await assert.rejects(refused.upstream.hashes([1, 2]), {
    code: "upstream_rejected",
    message: /no such block \(-32602\)/,
  });
  assert.equal(refused.asked().length, 1);
});

test("a node that answers a little at a time is not given up while it does", async (t) => {
  const { upstream, asked } = await openFaulty(
    t,
    ({ calls, isBatch, response }) => {
      const [first, ...rest] = calls;
      const limited = rest.map(({ id }) => ({ id, error: { code: -32005, message: "rate limited" } }));
      sendJson(response, isBatch ? [right(first!), ...limited] : right(first!));
    },
    { retry: { ...quickRetry, attempts: 3 } },
  );

  await assertHashes(upstream, [1, 2, 3, 4, 5, 6]);
  assert.equal(asked().length, 6);
});

const numbers = Array.from({ length: 16 }, (_, index) => index);

test("a batch that is refused for its size is halved until it passes, and the size is remembered", async (t) => {
  const refusals: ((post: Post) => void)[] = [
    ({ response }) => response.writeHead(413).end("too large"),
    ({ response }) => sendJson(response, { id: null, error: { code: -32600, message: "Invalid Request" } }),
    ({ response }) => sendJson(response, { id: null, error: { code: -32000, message: "batch too large" } }, 400),
    ({ response }) => sendJson(response, [{ id: null, error: { code: -32600, message: "batch limit 4 exceeded" } }]),
    ({ calls, response }) =>
      sendJson(response, [
        right(calls[0]!),
        ...calls.slice(1).map(({ id }) => ({ id, error: { code: -32003, message: "response too large" } })),
      ]),
  ];
  for (const refuse of refusals) {
    const { upstream, asked } = await openFaulty(t, (post) =>
      post.calls.length > 4 ? refuse(post) : answerWell(chain, post),
    );

    await assertHashes(upstream, numbers);
    const before = asked().length;
    await assertHashes(upstream, [1, 2, 3, 4]);

    assert.equal(asked().length, before + 1);
    assert.equal(upstream.metrics.retries, 0, "no waiting");
  }
});

test("a node that knows no batches is asked one call at a time", async (t) => {
  const { upstream, asked } = await openFaulty(t, (post) =>
    post.isBatch
      ? sendJson(post.response, { id: null, error: { code: -32600, message: "expected an object" } })
      : answerWell(chain, post),
  );

  await assertHashes(upstream, [1, 2, 3]);
  assert.ok(asked().some(({ isBatch }) => !isBatch));
});

test("one error for a whole batch that is only a rate limit is waited out, not split", async (t) => {
  const { upstream, asked } = await openFaultyOnce(t, ({ response }) =>
    sendJson(response, { id: null, error: { code: -32005, message: "rate limited" } }),
  );

  await assertHashes(upstream, numbers);
  assert.deepEqual(
    asked().map(({ calls }) => calls.length),
    [16, 16],
  );
});

test("a batch whose answer passes the byte cap is split", async (t) => {
  const { upstream } = await openFaulty(t, (post) => answerWell(chain, post), { maxBytes: 5000 });

  await assertHashes(upstream, numbers);
});

test("a batch that times out is made smaller", async (t) => {
  const { upstream, asked } = await openFaulty(
    t,
    (post) => {
      if (post.calls.length <= 4) answerWell(chain, post);
    },
    { timeoutMs: 500 },
  );

  await assertHashes(upstream, numbers);
  assert.deepEqual(
    asked().map(({ calls }) => calls.length),
    [16, 8, 4, 4, 4, 4],
  );
});

test("batches grow to a hundred small answers and shrink to about a megabyte of large ones", async (t) => {
  let padding = "";
  const { upstream, asked } = await openFaulty(t, (post) =>
    answerWell({ eth_getBlockByNumber: (id: string) => ({ ...wireBlock(Number(id)), padding }) }, post),
  );
  const many = Array.from({ length: 300 }, (_, index) => index);

  await upstream.hashes(many);
  const small = Math.max(...asked().map(({ calls }) => calls.length));
  padding = "x".repeat(200_000);
  await upstream.hashes(many.slice(0, 40));
  await upstream.hashes(many.slice(0, 40));

  assert.equal(small, 100);
  assert.equal(asked().at(-1)!.calls.length, 5);
});

test("a server that closes every connection is asked for its chain at most once a call", async (t) => {
  const server = await openServer(t, (post) => {
    post.response.setHeader("connection", "close");
    answerWell(chain, post);
  });
  const upstream = openUpstream(t, { url: server.url });

  await assertHashes(upstream, [1, 2]);
  await assertHashes(upstream, [3]);

  const { length } = server.methods().filter((method) => method === "eth_chainId");
  assert.ok(length >= 1 && length <= 2);
});

test("the chain is asked for before the first use and remembered", async (t) => {
  const { server, upstream } = await openFaulty(t, (post) => answerWell(chain, post));

  assert.equal(upstream.chainId, undefined);
  await Promise.all([upstream.hashes([1]), upstream.hashes([2]), upstream.head()]);
  await upstream.connect();

  assert.equal(upstream.chainId, 677);
  assert.equal(server.methods()[0], "eth_chainId");
  assert.equal(server.methods().filter((method) => method === "eth_chainId").length, 1);
});

test("a node of another chain than the one set is refused", async (t) => {
  const { server, upstream, asked } = await openFaulty(t, (post) => answerWell(chain, post), { chainId: 968 });

  await assert.rejects(upstream.head(), {
    code: "wrong_chain",
    message: `the node at ${server.url} serves chain 677, expected 968`,
  });
  assert.equal(asked().length, 0);
});

test("a node that comes back as another chain is refused before anything is read from it", async (t) => {
  const { server, upstream } = await openFaulty(t, (post) => answerWell(chain, post));
  await upstream.hashes([1]);

  server.close();
  await assert.rejects(upstream.hashes([1]), { code: "upstream_unavailable" });
  const other = await openServer(t, (post) => answerWell({ ...chain, eth_chainId: () => "0x1" }, post), server.port);

  await assert.rejects(upstream.hashes([1]), { code: "wrong_chain", message: /serves chain 1, expected 677/ });
  assert.deepEqual(other.methods(), ["eth_chainId"]);
});

test("a node swapped between two calls, without any failure, is noticed too", async (t) => {
  const { server, upstream } = await openFaulty(t, (post) => answerWell(chain, post));
  await upstream.hashes([1]);

  server.close();
  await openServer(t, (post) => answerWell({ ...chain, eth_chainId: () => "0x1" }, post), server.port);
  await sleep(20);

  await assert.rejects(upstream.hashes([1]), { code: "wrong_chain" });
});

test("the answer to a short question cannot be long, whatever else may be", async (t) => {
  const server = await openServer(t, ({ calls: [call], response }) => {
    const long = JSON.stringify("0".repeat(MAX_SMALL_BYTES));
    const result = call!.method === "eth_chainId" ? '"0x1"' : long;
    response.end(`{"jsonrpc":"2.0","id":${call!.id},"result":${result}}`);
  });
  const upstream = new Upstream({ url: server.url, retry: { attempts: 1, invalidAttempts: 1 } });
  t.after(() => upstream.close());

  for (const method of ["eth_blockNumber", "eth_getBalance", "net_version"]) {
    await assert.rejects(upstream.request(method, []), { code: "limit_exceeded" }, method);
    await assert.rejects(upstream.pass({ method, params: [] }), { code: "limit_exceeded" }, method);
  }
  assert.equal(((await upstream.request("eth_getCode", [])) as string).length, MAX_SMALL_BYTES);
  assert.deepEqual(
    [true, false].map((isFull) => maxResultBytes({ method: "eth_getBlockByNumber", params: ["0x1", isFull] })),
    [MAX_ANSWER_BYTES, MAX_OUTLINE_BYTES],
  );
});
