import assert from "node:assert/strict";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { MessageChannel, Worker } from "node:worker_threads";
import { eventLoopTurns } from "../../test/support/waiting.ts";
import type { HandleBody } from "./port.ts";
import { PortClient, servePort } from "./port.ts";

function openClient(t: TestContext): PortClient {
  const client = new PortClient();
  t.after(() => client.close());
  return client;
}

function connect(client: PortClient, handle: HandleBody) {
  const { port1, port2 } = new MessageChannel();
  servePort(port1, handle);
  client.use(port2);
  return port1;
}

const THREAD = `
  const { workerData } = require("node:worker_threads");
  workerData.on("message", ({ id, body, isTrusted }) => {
    if (body === "die") process.exit(1);
    if (body === "wait") return;
    workerData.postMessage({ id, body: body + isTrusted });
  });
`;

function startThread(t: TestContext, client: PortClient): Worker {
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(THREAD, { eval: true, workerData: port1, transferList: [port1] });
  t.after(() => worker.terminate());
  client.use(port2);
  return worker;
}

const GONE = { code: "upstream_unavailable", message: "the node is restarting" };

test("each question gets its own answer, and the node learns who may ask", async (t) => {
  const client = openClient(t);
  connect(client, async (body, isTrusted) => {
    if (body === "slow") await eventLoopTurns();
    return body === "notice" ? undefined : `${body} ${isTrusted}`;
  });

  const answers = Promise.all([client.ask("slow", false), client.ask("fast", true), client.ask("notice", true)]);

  assert.deepEqual(await answers, ["slow false", "fast true", undefined]);
});

test("a node that fails answers with an internal error", async (t) => {
  const client = openClient(t);
  connect(client, () => Promise.reject(new Error("secret")));

  const answer = JSON.parse((await client.ask("x", false))!) as object;

  assert.deepEqual(answer, { jsonrpc: "2.0", id: null, error: { code: -32_603, message: "internal error" } });
});

test("what a thread that dies did not answer fails, and another thread can take its place", async (t) => {
  const client = openClient(t);
  await assert.rejects(client.ask("early", true), GONE);
  const worker = startThread(t, client);
  assert.equal(await client.ask("a", true), "atrue");

  const exit = once(worker, "exit");
  const unanswered = [client.ask("wait", true), client.ask("die", true)];
  for (const answer of unanswered) await assert.rejects(answer, GONE);
  await exit;
  await assert.rejects(client.ask("late", true), GONE);

  startThread(t, client);
  assert.equal(await client.ask("b", false), "bfalse");
});

test("a new port ends what was asked over the old one", async (t) => {
  const client = openClient(t);
  const first = connect(client, () => new Promise(() => {}));
  const asked = client.ask("x", true);
  const closed = once(first, "close");

  connect(client, async () => "new");

  await assert.rejects(asked, GONE);
  await closed;
  assert.equal(await client.ask("y", true), "new");
});

test("closing ends what is in flight, for good", async (t) => {
  const client = openClient(t);
  connect(client, () => new Promise(() => {}));
  const asked = client.ask("x", true);

  client.close();

  const closed = { code: "upstream_unavailable", message: /closed/ };
  await assert.rejects(asked, closed);
  const again = connect(client, async () => "new");
  await assert.rejects(client.ask("y", true), closed);
  await once(again, "close");
});
