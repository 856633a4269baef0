import assert from "node:assert/strict";
import { test } from "node:test";
import { assertHashes, openFaulty, openFaultyOnce, openUpstream, quickRetry } from "../../test/support/faultyNode.ts";
import type { Post } from "../../test/support/rpcServer.ts";
import { sendJson } from "../../test/support/rpcServer.ts";
import { eventLoopTurns, until } from "../../test/support/waiting.ts";
import type { UpstreamOptions } from "./upstream.ts";

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
  const policy = { ...quickRetry, attempts: 5, invalidAttempts: 2 };
  const busy = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });
  const faulty = await openFaulty(t, ({ response }) => response.writeHead(200).end("{"), { retry: policy });

  await assert.rejects(busy.upstream.hashes([1]), { code: "upstream_unavailable", message: /status 503/ });
  await assert.rejects(faulty.upstream.hashes([1]), { code: "upstream_invalid", message: /no JSON/ });

  assert.equal(busy.asked().length, 5);
  assert.equal(faulty.asked().length, 2);
});

test("a node that cannot be reached is asked as often as the caller wants, one that drops connections more often", async (t) => {
  const policy = { ...quickRetry, attempts: 5, unreachedAttempts: 2 };
  const dropping = await openFaulty(t, ({ response }) => response.socket!.resetAndDestroy(), { retry: policy });
  const absent = openUpstream(t, { url: "http://127.0.0.1:1", retry: policy });

  await assert.rejects(dropping.upstream.hashes([1]), { code: "upstream_unavailable", message: /ECONNRESET/ });
  await assert.rejects(absent.hashes([1]), { code: "upstream_unavailable", message: /ECONNREFUSED/ });

  assert.equal(dropping.asked().length, 5);
  assert.equal(absent.metrics.retries, 1);
});

test("retries end at the total deadline", async (t) => {
  const policy = { attempts: 1000, baseMs: 20, maxDelayMs: 20, deadlineMs: 100, random: () => 1 };
  const { upstream, asked } = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });

  await assert.rejects(upstream.hashes([1]), { code: "upstream_unavailable" });

  assert.ok(asked().length <= 6);
});

test("Retry-After is honoured up to a cap, and not beyond the deadline", async (t) => {
  const after = (value: string) => (post: Post) => post.response.writeHead(429, { "retry-after": value }).end();
  const timed = async (value: string, policy: UpstreamOptions["retry"]) => {
    const { upstream } = await openFaultyOnce(t, after(value), { retry: { ...quickRetry, ...policy } });
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

  for (const { isAnswered, ms } of [capped, dated]) assert.ok(isAnswered && ms >= 58, `${ms} ms`);
  assert.equal(late.isAnswered, false);
});

test("close ends a call that waits to be retried at once", async (t) => {
  const policy = { baseMs: 60_000, maxDelayMs: 60_000, deadlineMs: 600_000, random: () => 1 };
  const { upstream, asked } = await openFaulty(t, ({ response }) => response.writeHead(503).end(), { retry: policy });
  const hashes = upstream.hashes([1]);
  await until("the first attempt fails", () => upstream.metrics.retries > 0 || asked().length > 0);
  await eventLoopTurns();

  await Promise.all([assert.rejects(hashes, { code: "upstream_unavailable", message: /closed/ }), upstream.close()]);
  await assert.rejects(upstream.head(), { message: /closed/ });
});
