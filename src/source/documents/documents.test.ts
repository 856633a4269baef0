import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { DocumentHosts } from "./documents.ts";
import { Documents, MAX_DOCUMENT, MAX_FETCHED } from "./documents.ts";
import { isLocal } from "./localNetwork.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function openHost(t: TestContext, answer: Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { asked, port: (server.address() as AddressInfo).port };
}

const resolveTo = (address: string) => (async () => [{ address, family: 4 }]) as never;

const allow = (...hosts: string[]): DocumentHosts => ({ hosts, gateway: undefined });

test("a document of an allowed host is read once, and one of another host is not asked for", async (t) => {
  const { asked, port } = await openHost(t, (_, response) => response.end('{"name":"one"}'));
  const documents = new Documents(allow(`127.0.0.1:${port}`));

  assert.equal(await documents.read(`http://127.0.0.1:${port}/1.json#part`), '{"name":"one"}');
  assert.equal(await documents.read(`http://127.0.0.1:${port}/1.json`), '{"name":"one"}');
  for (const [uri, reason] of [
    [`http://localhost:${port}/2.json`, /its host is not allowed/],
    [`http://2130706433:${port + 1}/2.json`, /its host is not allowed/],
    [`http://user@127.0.0.1:${port}/2.json`, /it has a user or a password/],
    [`ftp://127.0.0.1:${port}/2.json`, /it is no data:, http, https or ipfs URI/],
    [`//127.0.0.1:${port}/2.json`, /it is no data:, http, https or ipfs URI/],
    ["file:///etc/passwd", /it is no data:, http, https or ipfs URI/],
    ["ipfs://bafy/1", /no gateway for ipfs is allowed/],
  ] as const) {
    await assert.rejects(documents.read(uri), { code: "unsupported", message: reason }, uri);
  }
  assert.deepEqual(asked, ["/1.json"]);
});

test("an allowed name that leads to the local network is not asked, and one that is allowed as an address is", async (t) => {
  const { asked, port } = await openHost(t, (_, response) => response.end("{}"));
  const named = new Documents(allow(`metadata.example:${port}`), { resolve: resolveTo("127.0.0.1") });

  await assert.rejects(named.read(`http://metadata.example:${port}/1`), { message: /leads to the local network/ });
  assert.deepEqual(asked, []);
  assert.equal(
    await new Documents(allow(`localhost:${port}`), { resolve: resolveTo("127.0.0.1") }).read(
      `http://localhost:${port}/1`,
    ),
    "{}",
  );
});

test("redirects, failures and long documents are errors, and cached", async (t) => {
  const { asked, port } = await openHost(t, ({ url }, response) => {
    if (url === "/moved") response.writeHead(302, { location: "/1.json" }).end();
    else if (url === "/none") response.writeHead(404).end("no");
    else if (url === "/broken") response.destroy();
    else response.end("x".repeat(url === "/fits" ? MAX_DOCUMENT : MAX_DOCUMENT + 1));
  });
  const documents = new Documents(allow(`127.0.0.1:${port}`));
  const read = (path: string) => documents.read(`http://127.0.0.1:${port}${path}`);

  for (let time = 0; time < 2; time++) {
    await assert.rejects(read("/moved"), { message: /status 302/ });
    await assert.rejects(read("/none"), { message: /status 404/ });
    await assert.rejects(read("/broken"), { message: /cannot be reached/ });
    await assert.rejects(read("/long"), { code: "limit_exceeded" });
    assert.equal((await read("/fits")).length, MAX_DOCUMENT);
  }
  assert.deepEqual(asked, ["/moved", "/none", "/broken", "/long", "/fits"]);
});

test("what takes too long is given up, and few are fetched at one time", async (t) => {
  const { asked, port } = await openHost(t, () => {});
  const documents = new Documents(allow(`127.0.0.1:${port}`), { time: 300 });
  const reads = Array.from({ length: MAX_FETCHED + 3 }, (_, at) => documents.read(`http://127.0.0.1:${port}/${at}`));

  const outcomes = await Promise.allSettled(reads);

  const reasons = outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : ""));
  assert.equal(reasons.filter((reason) => reason.includes("did not answer in time")).length, MAX_FETCHED);
  assert.equal(reasons.filter((reason) => reason.includes("too many documents")).length, 3);
  assert.ok(asked.length <= MAX_FETCHED);
});

test("what is neither on the internet nor anywhere is local", () => {
  for (const address of [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "224.0.0.1",
  ]) {
    assert.ok(isLocal(address, 4), address);
  }
  for (const address of ["::1", "::", "fd00::1", "fe80::1", "::ffff:10.0.0.1", "ff02::1", "64:ff9b::a00:1"]) {
    assert.ok(isLocal(address, 6), address);
  }
  for (const address of ["1.1.1.1", "172.32.0.1", "100.128.0.1"]) assert.ok(!isLocal(address, 4), address);
  for (const address of ["2606:4700::1111", "2001:4860:4860::8888"]) assert.ok(!isLocal(address, 6), address);
});
