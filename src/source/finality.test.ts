import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { openBoth } from "../../test/support/faultyNode.ts";
import { blockHash, chainMethods, RpcFault, wireBlock } from "../../test/support/rpcServer.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../chain/finality.ts";
import type { UpstreamOptions } from "./upstream.ts";

const AT_EVERY_HEAD = { settledMs: 0 };

test("a node that refuses the tags safe and finalized is given depths, and is not asked again", async (t) => {
  const chain = chainMethods(100);
  const { node, upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (id === "safe" || id === "finalized") throw new RpcFault(-32602, `invalid block tag ${id}`);
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  const { safe, finalized } = await upstream.head();
  await upstream.head();

  assert.deepEqual({ safe, finalized }, { safe: 100 - SAFE_DEPTH, finalized: 100 - FINALIZED_DEPTH });
  assert.equal(node.posts.at(-1)!.calls.length, 1);
});

test("a node that is only overloaded when asked for the tags is asked again", async (t) => {
  const chain = chainMethods(100);
  let isBusy = true;
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (id === "finalized" && isBusy) {
        isBusy = false;
        throw new RpcFault(-32005, "rate limited");
      }
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  assert.equal((await upstream.head()).finalized, 91);
});

test("a node without a finalized block yet is given a depth, never below zero, and asked again", async (t) => {
  let head = 10;
  let isFinal = false;
  const eth_getBlockByNumber = (id: string) => {
    if (!isFinal && id === "safe") throw new RpcFault(-39001, "safe block not found");
    if (!isFinal && id === "finalized") return null;
    return chainMethods(head).eth_getBlockByNumber!(id as never);
  };
  const { upstream } = await openBoth(t, { eth_getBlockByNumber }, AT_EVERY_HEAD);

  const before = await upstream.head();
  isFinal = true;
  head = 11;
  const after = await upstream.head();

  assert.deepEqual([before.safe, before.finalized, after.safe, after.finalized], [0, 0, 6, 2]);
});

test("finalized and safe never move back, nor above the head", async (t) => {
  let heights = { latest: 100, safe: 95, finalized: 90 };
  const eth_getBlockByNumber = (tag: "latest" | "safe" | "finalized") => wireBlock(heights[tag]);
  const { upstream } = await openBoth(t, { eth_getBlockByNumber }, AT_EVERY_HEAD);
  const settled = async () => {
    const { safe, finalized } = await upstream.head();
    return [safe, finalized];
  };

  assert.deepEqual(await settled(), [95, 90]);
  heights = { latest: 101, safe: 80, finalized: 70 };
  assert.deepEqual(await settled(), [95, 90]);
  heights = { latest: 92, safe: 99, finalized: 99 };
  assert.deepEqual(await settled(), [92, 92]);
});

test("a node that has named a finalized block once is not given a depth when it names none", async (t) => {
  let finalized: unknown = wireBlock(10);
  let head = 200;
  const eth_getBlockByNumber = (tag: string) => (tag === "finalized" ? finalized : wireBlock(head));
  const { upstream } = await openBoth(t, { eth_getBlockByNumber }, AT_EVERY_HEAD);

  assert.equal((await upstream.head()).finalized, 10);
  finalized = null;
  head = 201;
  assert.equal((await upstream.head()).finalized, 10);
});

test("an authoritative source that goes back takes finality with it", async (t) => {
  let head = 100;
  const methods = { eth_getBlockByNumber: (tag: never) => chainMethods(head).eth_getBlockByNumber!(tag) };
  const { upstream } = await openBoth(t, methods, { authoritative: true, ...AT_EVERY_HEAD });

  await upstream.head();
  head = 50;
  await upstream.head();
  head = 51;

  assert.equal((await upstream.head()).finalized, 42);
});

async function openMoving(t: TestContext, options: Partial<UpstreamOptions>) {
  const chain = { head: 100 };
  const methods = { eth_getBlockByNumber: (tag: never) => chainMethods(chain.head).eth_getBlockByNumber!(tag) };
  const { node, upstream } = await openBoth(t, methods, options);
  await upstream.head();
  node.posts.length = 0;
  const asked = () => node.posts.splice(0).flatMap(({ calls }) => calls.map(({ params }) => params[0]));
  return { chain, upstream, asked };
}

test("a head that stands still costs one call, however long", async (t) => {
  const { chain, upstream, asked } = await openMoving(t, AT_EVERY_HEAD);

  for (let i = 0; i < 3; i++) await upstream.head();
  assert.deepEqual(asked(), ["latest", "latest", "latest"]);
  chain.head = 101;
  const { safe, finalized } = await upstream.head();

  assert.deepEqual(asked(), ["latest", "safe", "finalized"]);
  assert.deepEqual([safe, finalized], [96, 92]);
});

test("the finalized height is not requested for every head, and never exceeds the node's answer", async (t) => {
  const { chain, upstream, asked } = await openMoving(t, { settledMs: 3_600_000 });

  for (; chain.head < 105; chain.head++) {
    const { safe, finalized } = await upstream.head();
    assert.deepEqual([safe, finalized], [95, 91]);
  }

  assert.deepEqual(new Set(asked()), new Set(["latest"]));
});

test("another block at the same height is seen at the next poll", async (t) => {
  let hash = blockHash(100);
  const { upstream } = await openBoth(t, { eth_getBlockByNumber: () => ({ ...wireBlock(100), hash }) });
  const before = await upstream.head();

  hash = blockHash(7);
  const after = await upstream.head();

  assert.deepEqual([before.number, after.number], [100, 100]);
  assert.deepEqual([toHex(before.hash), toHex(after.hash)], [blockHash(100), blockHash(7)]);
});
