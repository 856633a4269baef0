import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import type { Post, RpcCall } from "../../test/support/rpcServer.ts";
import {
  answerOne,
  answerWell,
  blockHash,
  chainMethods,
  openServer,
  sendJson,
  wireBlock,
} from "../../test/support/rpcServer.ts";
import { toHex } from "../chain/hex.ts";
import type { UpstreamOptions } from "./upstream.ts";
import { Upstream } from "./upstream.ts";

const chain = chainMethods(1000);
const retry = { baseMs: 1, maxDelayMs: 4, deadlineMs: 3000 };

/** An upstream of a node that answers eth_chainId well and everything else as the test says. */
async function openFaulty(t: TestContext, answer: (post: Post) => void, options: Partial<UpstreamOptions> = {}) {
  const server = await openServer(t, (post) =>
    post.calls[0]!.method === "eth_chainId" ? answerWell({}, post) : answer(post),
  );
  const upstream = new Upstream({ url: server.url, retry, ...options });
  t.after(() => upstream.close());
  const asked = () => server.posts.filter(({ calls }) => calls[0]!.method !== "eth_chainId");
  return { server, upstream, asked };
}

/** A node whose first answer is faulty and whose others are right. */
function openFaultyOnce(t: TestContext, fault: (post: Post) => void, options: Partial<UpstreamOptions> = {}) {
  let isFirst = true;
  return openFaulty(
    t,
    (post) => {
      if (!isFirst) return answerWell(chain, post);
      isFirst = false;
      fault(post);
    },
    options,
  );
}

const right = (call: RpcCall) => answerOne(chain, call);

async function assertHashes(upstream: Upstream, numbers: readonly number[]): Promise<void> {
  const hashes = await upstream.hashes(numbers);
  assert.deepEqual(
    hashes.map((hash) => hash && toHex(hash)),
    numbers.map(blockHash),
  );
}

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
    { retry: { ...retry, attempts: 3 } },
  );

  await assertHashes(upstream, [1, 2, 3, 4, 5, 6]);
  assert.equal(asked().length, 6);
});

test("a server that closes every connection is asked for its chain at most once a call", async (t) => {
  const server = await openServer(t, (post) => {
    post.response.setHeader("connection", "close");
    answerWell(chain, post);
  });
  const upstream = new Upstream({ url: server.url, retry });
  t.after(() => upstream.close());

  await assertHashes(upstream, [1, 2]);
  await assertHashes(upstream, [3]);

  const { length } = server.methods().filter((method) => method === "eth_chainId");
  assert.ok(length >= 1 && length <= 2);
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
    { timeoutMs: 30 },
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

test("what passes is asked again until it does", async (t) => {
  const rpc = (code: number, message: string) => (post: Post) =>
    sendJson(post.response, { id: post.calls[0]!.id, error: { code, message } });
  const status = (code: number) => (post: Post) => post.response.writeHead(code).end();
  const body = (text: string) => (post: Post) => post.response.writeHead(200).end(text);
  const faults: Record<string, (post: Post) => void> = {
    429: status(429),
    500: status(500),
    502: status(502),
    503: status(503),
    504: status(504),
    "HTML in a 200": body("<html>429 Too Many Requests</html>"),
    "text in a 200": body("429 Too Many Requests"),
    "-32005": rpc(-32005, "x"),
    "-32001": rpc(-32001, "x"),
    "-32503": rpc(-32503, "x"),
    "rate limit": rpc(-32000, "Rate limit reached"),
    "too many requests": rpc(-32000, "too many requests"),
    timeout: rpc(-32000, "request timed out"),
    "header not found": rpc(-32000, "header not found"),
    "internal error": rpc(-32603, "Internal error"),
    "cut JSON": body('{"jsonrpc":"2.0","id":'),
    "empty body": body(""),
    "no JSON-RPC": body("[1,2]"),
    "neither result nor error": (post) => sendJson(post.response, { id: post.calls[0]!.id }),
    "odd error": (post) => sendJson(post.response, { id: post.calls[0]!.id, error: "oops" }),
    reset: (post) => post.response.socket!.resetAndDestroy(),
  };
  for (const [name, fault] of Object.entries(faults)) {
    const { upstream } = await openFaultyOnce(t, fault);

    await assertHashes(upstream, [1]);

    assert.equal(upstream.metrics.retries, 1, name);
  }
});

test("what would not pass is thrown at once", async (t) => {
  const rpc =
    (code: number, message: string, status = 200) =>
    (post: Post) =>
      sendJson(post.response, { id: post.calls[0]!.id, error: { code, message } }, status);
  const faults: ((post: Post) => void)[] = [
    ...[301, 400, 401, 403, 404].map((code) => (post: Post) => post.response.writeHead(code).end()),
    rpc(-32601, "the method does not exist"),
    rpc(-32601, "the method does not exist", 500),
    rpc(-32602, "invalid params", 400),
    rpc(-32000, "missing trie node"),
    rpc(3, "execution reverted: timeout"),
    rpc(-32005, "query returned more than 10000 results"),
  ];
  for (const fault of faults) {
    const { upstream, asked } = await openFaultyOnce(t, fault);

    await assert.rejects(upstream.hashes([1]), { code: "upstream_rejected" });

    assert.equal(asked().length, 1);
  }
});

test("retries end after a number of attempts, sooner for nonsense", async (t) => {
  const policy = { ...retry, attempts: 5, invalidAttempts: 2 };
  const busy = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });
  const mad = await openFaulty(t, ({ response }) => response.writeHead(200).end("{"), { retry: policy });

  await assert.rejects(busy.upstream.hashes([1]), { code: "upstream_unavailable", message: /status 503/ });
  await assert.rejects(mad.upstream.hashes([1]), { code: "upstream_invalid", message: /no JSON/ });

  assert.equal(busy.asked().length, 5);
  assert.equal(mad.asked().length, 2);
});

test("retries end at the total deadline", async (t) => {
  const policy = { attempts: 1000, baseMs: 20, maxDelayMs: 20, deadlineMs: 100, random: () => 1 };
  const { upstream, asked } = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });
  const start = performance.now();

  await assert.rejects(upstream.hashes([1]), { code: "upstream_unavailable" });

  assert.ok(performance.now() - start < 1000);
  assert.ok(asked().length <= 6);
});

test("Retry-After is honoured up to a cap, and not beyond the deadline", async (t) => {
  const after = (value: string) => (post: Post) => post.response.writeHead(429, { "retry-after": value }).end();
  const timed = async (value: string, policy: UpstreamOptions["retry"]) => {
    const { upstream } = await openFaultyOnce(t, after(value), { retry: { ...retry, ...policy } });
    const start = performance.now();
    const isAnswered = await upstream.hashes([1]).then(
      () => true,
      () => false,
    );
    return { isAnswered, ms: performance.now() - start };
  };

  const capped = await timed("3600", { maxRetryAfterMs: 60 });
  const dated = await timed(new Date(Date.now() + 3_600_000).toUTCString(), { maxRetryAfterMs: 60 });
  const late = await timed("10", {});

  for (const { isAnswered, ms } of [capped, dated]) assert.ok(isAnswered && ms >= 58 && ms < 1000, `${ms} ms`);
  assert.ok(!late.isAnswered && late.ms < 1000);
});

test("close ends a call that waits to be retried at once", async (t) => {
  const policy = { baseMs: 60_000, maxDelayMs: 60_000, deadlineMs: 600_000, random: () => 1 };
  const { upstream } = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });
  const hashes = upstream.hashes([1]);
  await sleep(50);

  await Promise.all([assert.rejects(hashes, { code: "upstream_unavailable", message: /closed/ }), upstream.close()]);
  await assert.rejects(upstream.head(), { message: /closed/ });
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

test("no key of a URL or header appears in any error, whatever the node says", async (t) => {
  const keys = ["user-key-1", "pass-key-2", "path-key-3", "query-key-4", "header-key-5"];
  const basic = Buffer.from("user-key-1:pass-key-2").toString("base64");
  const echo = ({ request }: Post) => `${request.url} ${inspect(request.headers)} ${keys.join(" ")}`;
  const faults: ((post: Post) => void)[] = [
    (post) => post.response.writeHead(401, { location: echo(post).replaceAll("\n", "") }).end(echo(post)),
    (post) => post.response.writeHead(503).end(echo(post)),
    (post) => post.response.writeHead(200).end(echo(post)),
    (post) => post.response.writeHead(200).end(`<html>${echo(post)}`),
    (post) => sendJson(post.response, { id: post.calls[0]!.id, error: echo(post) }),
    (post) =>
      sendJson(post.response, { id: post.calls[0]!.id, error: { code: 1, message: echo(post), data: [echo(post)] } }),
    (post) => sendJson(post.response, { id: post.calls[0]!.id, result: { number: "0x1", hash: keys[2] } }),
    (post) => sendJson(post.response, { id: post.calls[0]!.id, result: keys[3] }),
    (post) => post.response.socket!.resetAndDestroy(),
    (post) => post.response.socket!.end(`HTP/1 ${echo(post)}`),
    (post) =>
      post.response.writeHead(200, { "content-length": 99_999 }).write(echo(post), () => post.request.socket.end()),
    () => {},
  ];
  for (const fault of faults) {
    const server = await openServer(t, (post) =>
      post.calls[0]!.method === "eth_chainId" ? answerWell({}, post) : fault(post),
    );
    const url = `${server.url.replace("//", "//user-key-1:pass-key-2@")}/v2/path-key-3?apikey=query-key-4`;
    const headers = { "x-key": "header-key-5" };
    const upstream = new Upstream({ url, headers, timeoutMs: 50, bodyTimeoutMs: 50, retry: { ...retry, attempts: 2 } });
    t.after(() => upstream.close());

    const error: unknown = await upstream.hashes([1]).catch((thrown: unknown) => thrown);

    assert.ok(error instanceof Error);
    const shown = `${error.message} ${error.stack} ${inspect(error, { depth: 9, showHidden: true })} ${inspect(error.cause)}`;
    for (const key of [...keys, basic]) assert.ok(!shown.includes(key), shown);
    assert.equal(upstream.name, server.url);
  }
});

test("an upstream shows no key when it is printed", async (t) => {
  const upstream = new Upstream({ url: "https://me-secret:pw-secret@node.example:8443/path-secret?q=query-secret" });
  t.after(() => upstream.close());

  assert.equal(upstream.name, "https://node.example:8443");
  assert.doesNotMatch(inspect(upstream, { depth: 9, showHidden: true }), /secret/);
});
