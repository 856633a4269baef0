import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { quantity } from "../src/chain/encoding/hex.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import type { Pool } from "../src/source/pool/pool.ts";
import { CHAIN_ID, DevelopmentNode } from "./support/developmentNode.ts";
import { FaultyProxy } from "./support/faultyProxy.ts";
import { LostTime } from "./support/lostTime.ts";
import { eventLoopTurns, until } from "./support/waiting.ts";

const UNKNOWN = `0x${"ab".repeat(32)}`;

/** Polled by every wallet, and unknown to every node. */
const ABSENT: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ["eth_getTransactionReceipt", [UNKNOWN]],
  ["eth_getTransactionByHash", [UNKNOWN]],
  ["eth_getBlockByNumber", [quantity(1_000_000), false]],
];

/** Milliseconds that a call may take when a node has just stopped answering, and once that is known. */
const BOUND = 1500;
const STEADY = 100;

/** Some nodes of one chain that can be made to go wrong, and a pool of them as the gateway has it. */
async function openNodes(t: TestContext, count: number) {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  await node.send();
  const proxies = await Promise.all(
    Array.from({ length: count }, () => FaultyProxy.open(t, (body) => node.node.handle(body, true))),
  );
  const pool = openPool(
    proxies.map(({ url }) => url),
    { chainId: CHAIN_ID },
  );
  t.after(() => pool.close());
  for (let call = 0; call < 2 * count; call++) await pool.pass("eth_gasPrice", []);
  await pool.head();
  return { node, proxies, pool };
}

const TURN = 5;
const lost = new LostTime(() => delay(TURN, undefined, { ref: false }), 2 * TURN);
const measuring = new AbortController();
before(() => void lost.measure(measuring.signal));
after(() => measuring.abort());

/** Milliseconds since a time in which the machine was not busy with other things. */
const elapsedSince = (time: number) => performance.now() - time - lost.since(time);

/** The answer, and the milliseconds that it took. */
async function timed(pool: Pool, method: string, params: readonly unknown[]) {
  const began = performance.now();
  const text = await pool.pass(method, params);
  return { text, milliseconds: elapsedSince(began) };
}

describe("with a node that hangs", { concurrency: 3 }, () => {
  for (const count of [2, 3]) {
    for (const at of Array.from({ length: count }, (_, index) => index)) {
      test(`a miss is answered in time although node ${at} of ${count} hangs`, async (t) => {
        const { proxies, pool } = await openNodes(t, count);
        proxies[at]!.fault = { kind: "hang" };

        const first = await Promise.all(ABSENT.map(([method, params]) => timed(pool, method, params)));
        await until("the pool sees it", () => pool.states[at]!.state === "failing");
        const then = [];
        for (const [method, params] of ABSENT) then.push(await timed(pool, method, params));

        assert.deepEqual(new Set([...first, ...then].map(({ text }) => text)), new Set(["null"]));
        for (const { milliseconds } of first) assert.ok(milliseconds < BOUND, `${milliseconds} ms`);
        for (const { milliseconds } of then) assert.ok(milliseconds < STEADY, `${milliseconds} ms`);
        assert.equal(pool.states[at]!.state, "failing");
      });
    }
  }

  test("an answer is not checked with a node that hangs since", async (t) => {
    const { node, proxies, pool } = await openNodes(t, 2);
    proxies[1]!.fault = { kind: "slow", milliseconds: 20 };
    await until("the first node is the fastest", async () => {
      await pool.head();
      const [first, other] = pool.states.map(({ latencyMs }) => latencyMs ?? 0);
      return other! > first!;
    });
    const hash = await node.send();
    const { asked } = proxies[0]!;

    const passing = timed(pool, "eth_getTransactionReceipt", [hash]);
    while (proxies[0]!.asked === asked) await eventLoopTurns(1);
    proxies[0]!.fault = { kind: "hang" };
    const { text, milliseconds } = await passing;

    assert.deepEqual(JSON.parse(text), await node.ask("eth_getTransactionReceipt", hash));
    assert.ok(milliseconds < BOUND, `${milliseconds} ms`);
  });

  test("a node that hung is asked again once it has answered", async (t) => {
    const { proxies, pool } = await openNodes(t, 2);
    proxies[0]!.fault = { kind: "hang" };
    await timed(pool, ...ABSENT[0]!);
    await until("the pool sees it", () => pool.states[0]!.state === "failing");

    proxies[0]!.repair();
    await until("it is asked again", async () => {
      await pool.head();
      return pool.states[0]!.state === "ok";
    });
    proxies[1]!.fault = { kind: "dead" };

    assert.equal(await pool.pass("eth_getTransactionReceipt", [UNKNOWN]), "null");
  });

  for (const kind of ["hang", "dead"] as const) {
    test(`the head is that of a node that is well again when the other hangs (it was ${kind})`, async (t) => {
      const { node, proxies, pool } = await openNodes(t, 2);
      proxies[0]!.fault = { kind };
      await until("the pool sees it", async () => {
        await pool.head();
        return pool.states[0]!.state === "failing";
      });
      proxies[0]!.repair();
      proxies[1]!.fault = { kind: "hang" };
      await node.send();
      const began = performance.now();

      const { number } = await pool.head();

      const milliseconds = elapsedSince(began);
      assert.equal(number, Number(await node.ask("eth_blockNumber")));
      assert.ok(milliseconds < BOUND, `${milliseconds} ms`);
    });
  }

  test("a node that takes three seconds for every call does not delay others", async (t) => {
    const { proxies, pool } = await openNodes(t, 3);
    proxies[1]!.fault = { kind: "slow", milliseconds: 3000 };
    await timed(pool, ...ABSENT[0]!);
    await delay(BOUND);

    const calls = [];
    for (let round = 0; round < 2; round++) {
      for (const [method, params] of ABSENT) calls.push(await timed(pool, method, params));
      await delay(1000);
    }

    for (const { milliseconds } of calls) assert.ok(milliseconds < STEADY, `${milliseconds} ms`);
  });

  test("transactions that a node refuses, filters and blocks do not wait for a node that hangs", async (t) => {
    const { node, proxies, pool } = await openNodes(t, 2);
    const filters = [];
    for (let made = 0; made < 4; made++) filters.push(JSON.parse(await pool.pass("eth_newBlockFilter", [])) as string);
    const stale = await node.sign({ nonce: 0 });
    proxies[0]!.fault = { kind: "hang" };
    const began = performance.now();

    await Promise.all([
      assert.rejects(pool.pass("eth_sendRawTransaction", [stale]), /nonce/),
      ...filters.map((id) => pool.pass("eth_getFilterChanges", [id])),
      pool.blocks(0, 2),
      pool.hashes([1]),
    ]);

    const milliseconds = elapsedSince(began);
    assert.ok(milliseconds < BOUND, `${milliseconds} ms`);
  });
});
