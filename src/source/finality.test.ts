import assert from "node:assert/strict";
import { test } from "node:test";
import { openBoth } from "../../test/support/faultyNode.ts";
import { chainMethods, RpcFault, wireBlock } from "../../test/support/rpcServer.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "./finality.ts";

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
  const chain = chainMethods(10);
  let isFinal = false;
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (id: string) => {
      if (!isFinal && id === "safe") throw new RpcFault(-39001, "safe block not found");
      if (!isFinal && id === "finalized") return null;
      return chain.eth_getBlockByNumber!(id as never);
    },
  });

  const before = await upstream.head();
  isFinal = true;
  const after = await upstream.head();

  assert.deepEqual([before.safe, before.finalized, after.safe, after.finalized], [0, 0, 5, 1]);
});

test("finalized and safe never move back, nor above the head", async (t) => {
  let heights = { latest: 100, safe: 95, finalized: 90 };
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (tag: "latest" | "safe" | "finalized") => wireBlock(heights[tag]),
  });
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
  const { upstream } = await openBoth(t, {
    eth_getBlockByNumber: (tag: string) => (tag === "finalized" ? finalized : wireBlock(200)),
  });

  assert.equal((await upstream.head()).finalized, 10);
  finalized = null;
  assert.equal((await upstream.head()).finalized, 10);
});

test("an authoritative source that goes back takes finality with it", async (t) => {
  let head = 100;
  const methods = { eth_getBlockByNumber: (tag: never) => chainMethods(head).eth_getBlockByNumber!(tag) };
  const { upstream } = await openBoth(t, methods, { authoritative: true });

  await upstream.head();
  head = 50;
  await upstream.head();
  head = 51;

  assert.equal((await upstream.head()).finalized, 42);
});
