import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import { toHex } from "../src/chain/encoding/hex.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { PROVEN_AFTER } from "../src/source/pool/blockVetting.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import type { Pool } from "../src/source/pool/pool.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission } from "./support/developmentNode.ts";
import { FaultyProxy } from "./support/faultyProxy.ts";
import type { NodeLie } from "./support/nodeLies.ts";
import { until } from "./support/waiting.ts";

const LIES: readonly NodeLie[] = [
  { kind: "head", blocks: 1000 },
  { kind: "header" },
  { kind: "receipt" },
  { kind: "log" },
];

/** Some nodes of one chain, of which the first can lie, a pool of them and an index. */
async function openNodes(t: TestContext, count: number) {
  const node = await DevelopmentNode.open();
  const emitter = await node.deploy(EMITTER);
  const proxies = await Promise.all(
    Array.from({ length: count }, () => FaultyProxy.open(t, (body) => node.node.handle(body, true))),
  );
  const urls = proxies.map(({ url }) => url);
  const pools = [openPool(urls, { chainId: CHAIN_ID }), openPool(urls, { chainId: CHAIN_ID })] as const;
  const store = await openStore(IN_MEMORY, CHAIN_ID);
  t.after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    await store.close();
    await node.close();
  });
  const emit = (value: number) => node.send({ to: emitter, data: emission(value, value) });
  const indexer = new Indexer({ store, source: pools[1], stages: [], integrity: "enforce" });
  return { node, proxies, pool: pools[0], store, indexer, emit };
}

/** Makes the other nodes slower, so that the one that lies is asked first. */
async function preferFirst([, ...others]: readonly FaultyProxy[], pool: Pool): Promise<void> {
  for (const other of others) other.fault = { kind: "slow", milliseconds: 20 };
  await until("the first node is the fastest", async () => {
    await pool.head();
    const [first, ...rest] = pool.states.map(({ latencyMs }) => latencyMs ?? 0);
    return rest.every((latency) => latency > first!);
  });
}

describe("a node that lies", { concurrency: 3 }, () => {
  for (const count of [2, 3]) {
    for (const lie of LIES) {
      test(`about its ${lie.kind}, the fastest of ${count}, is ejected, and the others serve`, async (t) => {
        const { node, proxies, pool, store, indexer, emit } = await openNodes(t, count);
        await preferFirst(proxies, pool);
        await emit(1);
        while ((await indexer.step()) !== "idle");
        await pool.head();

        proxies[0]!.fault = lie;
        for (let value = 2; value < 6; value++) {
          const hash = await emit(value);
          const head = await node.ask<string>("eth_blockNumber");
          const real = await node.ask("eth_getTransactionReceipt", hash);
          assert.deepEqual(JSON.parse(await pool.pass("eth_getTransactionReceipt", [hash])), real);
          await until("the new head is agreed on", async () => {
            const reported = Number(JSON.parse(await pool.pass("eth_blockNumber", [])));
            assert.ok(reported <= Number(head), `${reported} is no block`);
            return reported === Number(head);
          });
          const latest = JSON.parse(await pool.pass("eth_getBlockByNumber", ["latest", true])) as { number: string };
          assert.deepEqual(latest, await node.ask("eth_getBlockByNumber", latest.number, true));
          await until("the block is indexed", async () => {
            while ((await indexer.step()) !== "idle");
            return (await store.latest.blocks.tip())!.number === Number(head);
          });
          const tip = (await store.latest.blocks.tip())!;
          assert.equal(toHex(tip.hash), (real as { blockHash: string }).blockHash);
        }

        const [first, ...others] = pool.states;
        assert.equal(first!.state, "invalid data");
        assert.match(first!.reason!, /block|receipt|log/);
        assert.ok(others.every(({ state }) => state === "ok"));
        proxies[0]!.repair();
        await until("it is well again", async () => {
          await pool.head();
          return pool.states[0]!.state === "ok";
        });
      });
    }
  }

  test("and is higher moves no head: the newest block is that of the majority", async (t) => {
    const { node, proxies, pool, emit } = await openNodes(t, 3);
    for (const behind of proxies.slice(1)) behind.fault = { kind: "lag", blocks: 1 };
    for (let value = 0; value < 5; value++) await emit(value);
    await pool.head();

    for (let value = 5; value < 10; value++) {
      await emit(value);
      const expected = Number(await node.ask("eth_blockNumber")) - 1;
      await until("the majority's head is shown", async () => {
        const latest = JSON.parse(await pool.pass("eth_getBlockByNumber", ["latest", false])) as { number: string };
        const shown = [Number(latest.number), Number(JSON.parse(await pool.pass("eth_blockNumber", [])))];
        assert.ok(Math.max(...shown) <= expected, `${shown} above ${expected}`);
        return Math.min(...shown) === expected;
      });
    }

    assert.deepEqual(
      pool.states.map(({ state }) => state),
      ["ok", "ok", "ok"],
    );
  });

  test("about its head is not trusted while the others are slow", async (t) => {
    const { node, proxies, pool, emit } = await openNodes(t, 2);
    await emit(1);
    await pool.head();
    proxies[1]!.fault = { kind: "slow", milliseconds: 4000 };
    proxies[0]!.fault = { kind: "head", blocks: 1000 };

    const end = performance.now() + 3000;
    while (performance.now() < end) {
      const reported = await pool.pass("eth_blockNumber", []).catch(() => "unknown");
      assert.ok(reported === "unknown" || JSON.parse(reported) === (await node.ask("eth_blockNumber")), reported);
      await pool.head().catch(() => {});
    }
    await until("the lie is known", async () => {
      await pool.head().catch(() => {});
      return pool.states[0]!.state === "invalid data";
    });
  });

  test("in the first blocks, where no check has passed yet, is not believed while the other is slow", async (t) => {
    const { node, proxies, pool, emit } = await openNodes(t, 2);
    await preferFirst(proxies, pool);
    const hash = await emit(1);
    proxies[0]!.fault = { kind: "receipt" };
    proxies[1]!.fault = { kind: "slow", milliseconds: 700 };

    const reported: unknown = JSON.parse(await pool.pass("eth_getTransactionReceipt", [hash]));

    assert.deepEqual(reported, await node.ask("eth_getTransactionReceipt", hash));
  });

  test("or lags has no say about the logs of blocks that it lacks", async (t) => {
    const { node, proxies, pool, emit } = await openNodes(t, 2);
    await preferFirst(proxies, pool);
    for (let value = 0; value < 5; value++) await emit(value);
    await pool.head();
    proxies[0]!.fault = { kind: "lag", blocks: 3 };
    proxies[1]!.fault = { kind: "slow", milliseconds: 600 };
    // Hears the lower head of the one that lags alone.
    await pool.head();

    for (const toBlock of [await node.ask<string>("eth_blockNumber"), "latest"]) {
      const filter = { fromBlock: await node.ask("eth_blockNumber"), toBlock };
      const reported = JSON.parse(await pool.pass("eth_getLogs", [filter])) as unknown[];
      assert.deepEqual(reported, await node.ask("eth_getLogs", filter));
      assert.equal(reported.length, 1);
    }
  });

  test("is never believed where no other can be asked: what is false is an error", async (t) => {
    const { proxies, pool, emit } = await openNodes(t, 2);
    await preferFirst(proxies, pool);
    for (let value = 0; value < PROVEN_AFTER; value++) {
      assert.match(await pool.pass("eth_getTransactionReceipt", [await emit(value)]), /"status":"0x1"/);
    }
    proxies[0]!.fault = { kind: "receipt" };
    proxies[1]!.fault = { kind: "dead" };
    const hash = await emit(9);

    await assert.rejects(pool.pass("eth_getTransactionReceipt", [hash]), /false data|cannot be reached/);
  });
});
