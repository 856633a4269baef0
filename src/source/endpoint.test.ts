import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { quickRetry } from "../../test/support/faultyNode.ts";
import type { Post } from "../../test/support/rpcServer.ts";
import { answerWell, openServer, sendJson } from "../../test/support/rpcServer.ts";
import { parseEndpoint } from "./endpoint.ts";
import { Upstream } from "./upstream.ts";

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
    const upstream = new Upstream({
      url,
      headers,
      timeoutMs: 50,
      bodyTimeoutMs: 50,
      retry: { ...quickRetry, attempts: 2 },
    });
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

test("an address that is no HTTP URL is refused without repeating it", () => {
  for (const url of ["secret-key", "ftp://secret-key@host", "http://secret-key@:99999999"]) {
    assert.throws(
      () => parseEndpoint(url),
      (error: Error) => !error.message.includes("secret-key") && "code" in error && error.code === "invalid_argument",
    );
  }
});

test("headers that would change or end the head of a request are refused without showing their value", () => {
  const bad: [string, string][] = [
    ["x-key", "secret\r\nx: y"],
    ["x-key", "secret\n"],
    ["x-key", "secret\0"],
    ["x-key", "secret\u20ac"],
    ["x key", "secret"],
    ["x\r\ny", "secret"],
    ["", "secret"],
    ["Content-Length", "secret"],
    ["transfer-encoding", "secret"],
  ];
  for (const [name, value] of bad) {
    assert.throws(
      () => parseEndpoint("http://host", { [name]: value }),
      (error: Error) => !error.message.includes("secret") && "code" in error && error.code === "invalid_argument",
    );
  }
});

test("the host header is the URL's host with its port, or the one that was set", () => {
  assert.equal(parseEndpoint("http://me:pw@[::1]:8545/x").host, "[::1]:8545");
  assert.equal(parseEndpoint("https://node.example:443").host, "node.example");
  assert.equal(parseEndpoint("https://10.0.0.1", { Host: "node.example" }).host, "node.example");
});
