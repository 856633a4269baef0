import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../../test/support/waiting.ts";
import { WebSocketServer } from "../../../test/support/webSocketServer.ts";
import { HeadSubscription, MIN_INTERVAL } from "./headSubscription.ts";

const NEW_HEAD = {
  jsonrpc: "2.0",
  method: "eth_subscription",
  params: { subscription: "0x9", result: { number: "0x1" } },
};
const retry = { first: 10, longest: 20 };

function accepts(message: string): unknown {
  const { id, method, params } = JSON.parse(message) as { id: number; method: string; params: unknown };
  assert.deepEqual([method, params], ["eth_subscribe", ["newHeads"]]);
  return { jsonrpc: "2.0", id, result: "0x9" };
}

function subscribe(t: TestContext, url: string) {
  const received = { heads: 0, errors: [] as string[] };
  const subscription = new HeadSubscription({
    url,
    onHead: () => received.heads++,
    onError: (reason) => received.errors.push(reason),
    retry,
  });
  t.after(() => subscription.close());
  return { subscription, received };
}

test("each new head is reported, and many at once are coalesced to two", async (t) => {
  const server = await WebSocketServer.start(t, accepts);
  const { subscription, received } = subscribe(t, server.url);
  await until("it is subscribed", () => subscription.isSubscribed);
  assert.equal(received.heads, 1);

  server.broadcast(NEW_HEAD);
  await until("it is reported", () => received.heads === 2);
  for (let count = 0; count < 50; count++) server.broadcast(NEW_HEAD);
  await until("the last is reported", () => received.heads >= 3);
  await delay(5 * MIN_INTERVAL);

  assert.ok(received.heads <= 10, `${received.heads}`);
  assert.deepEqual(received.errors, []);
});

test("an HTTP URL is tried as that of a WebSocket, with its key in a header", async (t) => {
  const server = await WebSocketServer.start(t, accepts);
  const { subscription } = subscribe(t, server.url.replace("ws://", "http://user:secret@"));

  await until("it is subscribed", () => subscription.isSubscribed);

  assert.equal(server.requests[0]?.authorization, `Basic ${Buffer.from("user:secret").toString("base64")}`);
});

test("a connection that ends, or says nothing of new blocks, is replaced", async (t) => {
  const server = await WebSocketServer.start(t, accepts);
  const { subscription, received } = subscribe(t, server.url);
  await until("it is subscribed", () => subscription.isSubscribed);

  server.disconnect();
  await until("it is subscribed again", () => server.received.length === 2 && subscription.isSubscribed);
  assert.equal(received.errors.length, 1);
  for (let block = 0; block < 6; block++) subscription.noteBlock();
  await until("it is subscribed once more", () => server.received.length === 3 && subscription.isSubscribed);
  for (let block = 0; block < 20; block++) {
    const before = received.heads;
    server.broadcast(NEW_HEAD);
    await until("it is reported", () => received.heads > before);
    subscription.noteBlock();
  }

  assert.equal(server.received.length, 3);
});

test("a node without WebSockets or subscriptions, or with garbage, is asked again and does no harm", async (t) => {
  const plain = createServer((_, response) => response.writeHead(400).end("no"));
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  t.after(() => plain.close());
  const refusing = await WebSocketServer.start(t, () => ({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32_601, message: "no" },
  }));
  const garbled = await WebSocketServer.start(t, () => [{ id: 1, result: "0x1" }, "x".repeat(60_000), null]);
  const urls = [
    `http://127.0.0.1:${(plain.address() as AddressInfo).port}`,
    refusing.url,
    garbled.url,
    "ws://127.0.0.1:9",
  ];

  const all = urls.map((url) => subscribe(t, url));
  await until("it was tried again", () => refusing.received.length > 2);

  for (const { subscription, received } of all) {
    assert.equal(subscription.isSubscribed, false);
    assert.equal(received.heads, 0);
    assert.ok(received.errors.length <= 1, received.errors.join());
  }
});
