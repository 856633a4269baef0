import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import type { Post } from "../../../test/support/rpcServer.ts";
import { openServer, sendJson } from "../../../test/support/rpcServer.ts";
import { selfSignedCertificate } from "../../../test/support/selfSigned.ts";
import { until } from "../../../test/support/waiting.ts";
import { parseEndpoint } from "../endpoint.ts";
import { HttpTransport } from "./transport.ts";

const LIMITS = { timeoutMs: 100, bodyTimeoutMs: 100, sockets: 2 };

async function openTransport(t: TestContext, answer: (post: Post) => void, limits = LIMITS) {
  const server = await openServer(t, answer);
  const transport = new HttpTransport(parseEndpoint(server.url), limits);
  t.after(() => transport.close());
  return { server, transport, post: (maxBytes = 1000) => transport.post("[]", maxBytes) };
}

test("posts one after another share a socket, and many at once stay within the bound", async (t) => {
  const { server, post } = await openTransport(t, ({ response }) => sendJson(response, "yes"));

  await post();
  await post();
  assert.equal(server.connections(), 1);
  const replies = await Promise.all(Array.from({ length: 10 }, () => post()));

  assert.equal(server.connections(), 2);
  assert.deepEqual(new Set(replies.map(({ text }) => text)), new Set(['"yes"']));
});

test("a node that never answers is given up at the deadline", async (t) => {
  const { post } = await openTransport(t, () => {});

  await assert.rejects(post(), { code: "upstream_unavailable", message: /no answer within 100 ms/ });
});

test("a node that drips its body is given up at the deadline of the whole body", async (t) => {
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 10);
    response.once("close", () => clearInterval(drip));
  });

  await assert.rejects(post(), { code: "upstream_unavailable", message: /a part of an answer within 100 ms/ });
});

test("an answer over the byte cap is broken off while it is read", async (t) => {
  let written = 0;
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200);
    const pour = setInterval(() => {
      written += 200;
      response.write("x".repeat(200));
    }, 1);
    response.once("close", () => clearInterval(pour));
  });

  await assert.rejects(post(), { code: "limit_exceeded", message: /larger than 1000 bytes/ });
  assert.ok(written < 10_000);
});

test("an answer whose content-length is over the byte cap is not read", async (t) => {
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200, { "content-length": 1001 }).flushHeaders();
  });

  await assert.rejects(post(), { code: "limit_exceeded" });
});

test("an answer shorter than its content-length is refused", async (t) => {
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("12345", () => response.socket!.end());
  });

  await assert.rejects(post(), { code: "upstream_invalid", message: /cut its answer off after 5 bytes/ });
});

test("a connection reset in the middle of a chunked body is refused", async (t) => {
  const { post } = await openTransport(t, ({ response }) => {
    response.writeHead(200);
    response.write("12345", () => setTimeout(() => response.socket!.resetAndDestroy(), 10));
  });

  await assert.rejects(post(), { code: "upstream_invalid", message: /cut/ });
});

test("a connection reset before an answer, and a closed port, are unavailable", async (t) => {
  const { server, post } = await openTransport(t, ({ response }) => response.socket!.resetAndDestroy());

  await assert.rejects(post(), { code: "upstream_unavailable", message: /ECONNRESET/ });
  server.close();
  await assert.rejects(post(), { code: "upstream_unavailable", message: /ECONNREFUSED/ });
});

test("what is no HTTP is refused", async (t) => {
  const server = createServer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const transport = new HttpTransport(parseEndpoint(`http://127.0.0.1:${port}`), LIMITS);
  t.after(() => transport.close());

  await assert.rejects(transport.post("[]", 1000), { code: "upstream_invalid", message: /does not speak HTTP/ });
});

test("the epoch changes after a failure and when the last socket closed, not while sockets are kept", async (t) => {
  let isBroken = false;
  const { server, transport, post } = await openTransport(t, ({ response }) => {
    if (isBroken) response.socket!.resetAndDestroy();
    else sendJson(response, 1);
  });
  await post();
  await post();
  const first = transport.epoch;
  assert.equal(first, 0);

  server.dropConnections();
  await until("the transport sees it", () => transport.epoch !== first);
  const second = transport.epoch;
  isBroken = true;
  await assert.rejects(post());

  assert.ok(transport.epoch > second);
});

test("close ends what is in flight and what waits for a socket", async (t) => {
  let received = 0;
  const { transport, post } = await openTransport(t, () => received++, { ...LIMITS, timeoutMs: 60_000 });
  const posts = Promise.allSettled([post(), post(), post()]);
  await until("two are in flight", () => received === LIMITS.sockets);

  transport.close();

  for (const result of await posts) {
    assert.equal(result.status, "rejected");
    assert.match(String(result.reason), /was closed/);
  }
  await assert.rejects(post(), { message: /was closed/ });
});

test("a user name and password become a Basic authorization, and the path and query are kept", async (t) => {
  const server = await openServer(t, ({ response }) => sendJson(response, 1));
  const url = server.url.replace("//", "//me:p%40ss@");
  const transport = new HttpTransport(parseEndpoint(`${url}/v2/key?a=b`, { "x-client": "oriel" }), LIMITS);
  t.after(() => transport.close());

  await transport.post("[]", 1000);

  const { headers, url: path } = server.posts[0]!.request;
  assert.equal(headers.authorization, `Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  assert.equal(headers["x-client"], "oriel");
  assert.equal(path, "/v2/key?a=b");
});

test("a server that offers HTTP/2 and HTTP/1.1 is asked by the latter, and one that offers only HTTP/2 is unreachable", async (t) => {
  const tls = selfSignedCertificate();
  setDefaultCACertificates([tls.cert]);
  const ask = async (allowHTTP1: boolean) => {
    const server = createSecureServer({ ...tls, allowHTTP1 }, (request, response) => {
      response.end(request.httpVersion);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const transport = new HttpTransport(parseEndpoint(url), { ...LIMITS, timeoutMs: 5000 });
    t.after(() => transport.close());
    return transport.post("[]", 1000);
  };

  assert.equal((await ask(true)).text, "1.1");
  await assert.rejects(ask(false), { code: "upstream_unavailable" });
});
