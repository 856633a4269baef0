import assert from "node:assert/strict";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { openUpstream } from "../../test/support/faultyNode.ts";
import { handleFor, openPort } from "../../test/support/portNode.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { eventLoopTurns, until } from "../../test/support/waiting.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { Indexer } from "../indexer/indexer.ts";
import type { HandleBody } from "../jsonrpc/port.ts";
import { PortClient, servePort } from "../jsonrpc/port.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";

function openChain(blocks: number, seed = 5): SimulatedChain {
  const chain = new SimulatedChain({ seed });
  chain.mine(blocks);
  return chain;
}

function connect(t: TestContext, handle: HandleBody, options: { timeoutMs?: number; maxBytes?: number } = {}) {
  const client = new PortClient();
  const { node, port } = openPort(handle);
  client.use(port);
  const retry = { baseMs: 20, maxDelayMs: 100, deadlineMs: 5000, random: () => 1 };
  const upstream = openUpstream(t, { port: client, chainId: 677, retry, ...options });
  return { client, node, upstream };
}

test("a node behind a port is a source: what is indexed over it is what it has", async (t) => {
  const chain = openChain(30);
  const { upstream } = connect(t, handleFor(chain));
  const store = await openStore(IN_MEMORY, 677);
  t.after(() => store.close());
  const indexer = new Indexer({ store, source: upstream });

  while ((await indexer.step()) !== "idle");

  assert.equal(toHex((await store.latest.blocks.tip())!.hash), chain.head.hash);
  assert.equal((await upstream.head()).number, 30);
  assert.equal(await upstream.request("web3_clientVersion", []), "Simulated/v5");
  assert.ok(upstream.metrics.bytesReceived > 1000);
});

test("the node trusts what comes from this program, and its refusals are passed on", async (t) => {
  const chain = openChain(1);
  const { upstream } = connect(t, handleFor(chain));

  assert.equal(await upstream.request("evm_mine", []), chain.head.hash);
  await assert.rejects(upstream.request("eth_nope", []), {
    code: "upstream_rejected",
    message: /the node at embedded chain 677 refused eth_nope: the method eth_nope does not exist/,
  });
});

test("a node of another chain is refused", async (t) => {
  const { upstream } = connect(t, handleFor(openChain(1), { chainId: 5 }));

  await assert.rejects(upstream.head(), { code: "wrong_chain" });
});

test("a node that does not answer is given up at the deadline, and asked again", async (t) => {
  const chain = openChain(3);
  const handle = handleFor(chain);
  let isFirst = true;
  const { upstream } = connect(
    t,
    (body, isTrusted) => {
      if (!isFirst) return handle(body, isTrusted);
      isFirst = false;
      return new Promise(() => {});
    },
    { timeoutMs: 50 },
  );

  assert.equal((await upstream.head()).number, 3);
  assert.equal(upstream.metrics.retries, 1);
});

test("an answer over the limit is refused, and a batch of such is split", async (t) => {
  const { upstream } = connect(t, handleFor(openChain(30)), { maxBytes: 40_000 });

  const blocks = await upstream.blocks(0, 20);

  assert.ok(blocks.length > 0);
  const small = connect(t, handleFor(openChain(3)), { maxBytes: 500 }).upstream;
  await assert.rejects(small.block(3), { code: "limit_exceeded", message: /larger than 500 bytes/ });
});

test("a node that dies is asked again when it is back, over its new port", async (t) => {
  const chain = openChain(3);
  let asked = 0;
  const { client, node, upstream } = connect(t, () => {
    asked++;
    return new Promise(() => {});
  });
  const head = upstream.head();
  await until("it is asked", () => asked > 0);

  const closed = once(node, "close");
  node.close();
  await closed;
  await eventLoopTurns();
  client.use(openPort(handleFor(chain)).port);

  assert.equal((await head).number, 3);
});

test("closing the source closes the port and fails what is in flight", async (t) => {
  const { node, upstream } = connect(t, () => new Promise(() => {}));
  const closed = new Promise((resolve) => node.once("close", resolve));
  const head = assert.rejects(upstream.head(), { code: "upstream_unavailable", message: /closed/ });

  await upstream.close();

  await head;
  await closed;
  await assert.rejects(upstream.head(), { code: "upstream_unavailable" });
});

test("head notifications are coalesced, and a restarted thread counts as one", async (t) => {
  const notify: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  servePort(port1, handleFor(openChain(3)), (listener) => notify.push(listener));
  const { client, upstream } = connect(t, handleFor(openChain(3)));
  let headChanges = 0;
  upstream.watch(() => headChanges++);

  client.use(port2);
  assert.equal(headChanges, 1);
  for (let block = 0; block < 100; block++) notify[0]!();
  await until("they arrive", () => headChanges > 1);
  await eventLoopTurns();

  assert.equal(headChanges, 2);
  assert.equal((await upstream.head()).number, 3);
});
