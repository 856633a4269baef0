import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import type { Served } from "../../../test/support/api.ts";
import { serveChain } from "../../../test/support/api.ts";

let served: Served;
let origin: string;
let port: number;

before(async () => {
  served = await serveChain({ seed: 31, blocks: 4 });
  served.app.post("/echo", async ({ body }) => ({ body }));
  served.app.get("/fail", async () => {
    throw new Error("at https://key@node.example");
  });
  await served.app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = served.app.server.address() as AddressInfo);
  origin = `http://127.0.0.1:${port}`;
});

after(() => served.close());

/** Sends raw bytes and returns everything received. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}

test("every read has a tag, is revalidated, and may be read from any origin", async () => {
  for (const path of ["/api/v2/blocks/1", "/health", `/api/v2/addresses/0x${"1".repeat(40)}/transactions`]) {
    const first = await fetch(origin + path, { headers: { origin: "https://dapp.example" } });
    const etag = first.headers.get("etag")!;
    assert.equal(first.status, 200);
    assert.match(etag, /^"[^"]+"$/);
    assert.equal(first.headers.get("cache-control"), "no-cache");
    assert.equal(first.headers.get("x-content-type-options"), "nosniff");
    assert.equal(first.headers.get("access-control-allow-origin"), "*");
    assert.equal(first.headers.get("access-control-allow-credentials"), null);
    assert.match(first.headers.get("access-control-expose-headers")!, /ETag/);

    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await fetch(origin + path, { headers: { "if-none-match": known } });
      assert.deepEqual([again.status, await again.text(), again.headers.get("etag")], [304, "", etag]);
      assert.equal(again.headers.get("content-length"), null);
    }
    assert.equal((await fetch(origin + path, { headers: { "if-none-match": '"other"' } })).status, 200);
  }
});

test("a tag changes with the answer, and errors have none", async () => {
  const one = await fetch(`${origin}/api/v2/blocks/1`);
  const two = await fetch(`${origin}/api/v2/blocks/2`);
  assert.notEqual(one.headers.get("etag"), two.headers.get("etag"));
  const missing = await fetch(`${origin}/api/v2/blocks/999`, { headers: { "if-none-match": "*" } });
  assert.deepEqual([missing.status, missing.headers.get("etag")], [404, null]);
});

test("HEAD answers as GET does, without the body", async () => {
  const get = await fetch(`${origin}/api/v2/blocks/1`);
  const head = await fetch(`${origin}/api/v2/blocks/1`, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  assert.equal(head.headers.get("etag"), get.headers.get("etag"));
  assert.equal(head.headers.get("content-length"), String((await get.text()).length));
});

test("a preflight is answered", async () => {
  const headers = { origin: "https://dapp.example", "access-control-request-method": "GET" };
  const preflight = await fetch(`${origin}/api/v2/blocks/1`, { method: "OPTIONS", headers });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.match(preflight.headers.get("access-control-allow-methods")!, /GET/);
});

test("what is refused is refused in JSON", async () => {
  const json = { "content-type": "application/json" };
  const cases: [status: number, path: string, init: RequestInit][] = [
    [404, "/", {}],
    [404, "/api/v2/nothing", {}],
    [404, "/api/v2/blocks/1/x/y", { method: "POST" }],
    [405, "/api/v2/blocks/1", { method: "POST", body: "{", headers: json }],
    [405, "/health", { method: "DELETE" }],
    [400, "/api/v2/blocks/%zz", {}],
    [400, "/api/v2/blocks/%c3%28", {}],
    [414, `/api/v2/blocks/${"1".repeat(33_000)}`, {}],
    [414, `/health?x=${"1".repeat(33_000)}`, {}],
    [400, "/echo", { method: "POST", body: "{bad", headers: json }],
    [400, "/echo", { method: "POST", body: '{"__proto__":{"a":1}}', headers: json }],
    [413, "/echo", { method: "POST", body: `"${"x".repeat(140_000)}"`, headers: json }],
    [415, "/echo", { method: "POST", body: "x", headers: { "content-type": "text/html" } }],
    [500, "/fail", {}],
  ];
  for (const [status, path, init] of cases) {
    const response = await fetch(origin + path, init);
    const text = await response.text();
    assert.equal(response.status, status, `${path} ${text}`);
    assert.match(response.headers.get("content-type")!, /^application\/json/);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.deepEqual(Object.keys(JSON.parse(text) as object), ["message"], text);
    assert.doesNotMatch(text, /node\.example|FST_|\.ts:/);
  }
});

test("what is no HTTP is refused in JSON", async () => {
  const cases: [status: number, text: string][] = [
    [400, "nonsense\r\n\r\n"],
    [400, "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"],
    [400, "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"],
    [400, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
    [400, "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n"],
    [400, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [417, "GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\nConnection: close\r\n\r\n"],
    [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(50_000)}\r\n\r\n`],
    [431, `GET /${"x".repeat(50_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ];
  for (const [status, text] of cases) {
    const answer = await raw(text);
    assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), text.slice(0, 40));
    assert.match(answer, /\r\nContent-Type: application\/json/i);
    assert.ok((JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as { message: string }).message);
  }
});

test("CONNECT is refused in JSON, and a client that disconnects at once does no harm", async () => {
  const answer = await raw("CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n");
  for (let at = 0; at < 20; at++) {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n");
      socket.resetAndDestroy();
    });
    await once(socket, "close");
  }

  assert.match(answer, /^HTTP\/1.1 501 Not Implemented\r\nContent-Type: application\/json/);
  assert.deepEqual(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)), { message: "Not Implemented" });
  assert.equal((await fetch(`${origin}/health`)).status, 200);
});

test("slow and greedy clients meet limits", () => {
  const { server } = served.app;
  assert.deepEqual([server.headersTimeout, server.requestTimeout, server.maxConnections], [10_000, 20_000, 2000]);
  assert.ok(server.keepAliveTimeout > 0);
});

test("a connection is good for as many requests as a client likes", async () => {
  const requests = 1500;
  const request = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  const last = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  const answers = await raw(request.repeat(requests - 1) + last);

  assert.equal(answers.match(/HTTP\/1\.1 200 /g)?.length, requests);
});

test("a path may end in a slash", async () => {
  assert.equal((await fetch(`${origin}/api/v2/blocks/1/`)).status, 200);
});
