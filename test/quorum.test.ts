import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { quantity } from "../src/chain/encoding/hex.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { CHAIN_ID, DevelopmentNode } from "./support/developmentNode.ts";
import { FaultyProxy } from "./support/faultyProxy.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

/** Three nodes of one chain, and a pool that compares what they say of the state. */
async function openNodes(t: TestContext, quorum: number) {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  await node.send({ value: 5n });
  const proxies = await Promise.all([1, 2, 3].map(() => FaultyProxy.open(t, (body) => node.node.handle(body, true))));
  const urls = proxies.map(({ url }) => url);
  const pool = openPool(urls, { chainId: CHAIN_ID, quorum, hedgeDelay: 300, retry: { attempts: 1 } });
  t.after(() => pool.close());
  await pool.head();
  const balance = (block: unknown) => pool.pass("eth_getBalance", [node.other.address, block]);
  const real = async () => JSON.stringify(await node.ask("eth_getBalance", node.other.address, "latest"));
  return { node, proxies, pool, balance, real };
}

test("a balance is that of a quorum of the nodes, and a dissenter is ejected", async (t) => {
  const { node, proxies, pool, balance, real } = await openNodes(t, 2);

  for (const proxy of proxies) {
    proxy.fault = { kind: "balance" };
    for (let times = 0; times < 3; times++) {
      await node.send({ value: 7n });
      assert.equal(await balance("latest"), await real());
    }
    assert.equal(await pool.request("eth_getBalance", [node.other.address, "latest"]), JSON.parse(await real()));
    proxy.repair();
  }

  assert.ok(pool.states.some(({ state, reason }) => state === "invalid data" && /eth_getBalance/.test(reason ?? "")));
});

test("without a quorum the error says whether the nodes disagree or cannot be asked", async (t) => {
  const { proxies, balance, real } = await openNodes(t, 3);
  assert.equal(await balance(quantity(1)), await real());

  proxies[1]!.fault = { kind: "balance" };
  await assert.rejects(balance("latest"), /the nodes disagree on eth_getBalance: 3 must give the same result/);
  proxies[1]!.fault = { kind: "dead" };
  await assert.rejects(
    balance("latest"),
    /3 nodes must give the same result of eth_getBalance, and only 2 can be asked/,
  );
});

test("a quorum does not wait for a node that hangs, nor for one that is behind", async (t) => {
  const { node, proxies, pool, balance, real } = await openNodes(t, 2);
  proxies[0]!.fault = { kind: "hang" };
  const timeout = delay(8000, "the timeout of the node", { ref: false });

  assert.equal(await Promise.race([balance("latest"), timeout]), await real());
  proxies[0]!.repair();
  await until("the node is asked again", async () => {
    await pool.head();
    return pool.states[0]!.state === "ok";
  });
  proxies[1]!.fault = { kind: "lag", blocks: 2 };
  await node.send({ value: 1n });

  assert.equal(await balance("latest"), await real());
});

test("what a contract reverts with is agreed on as well, and refused as the nodes refuse it", async (t) => {
  const { node, pool } = await openNodes(t, 3);
  const failing = await node.deploy("0x60048060093d393df35f5ffd00");

  await assert.rejects(pool.pass("eth_call", [{ to: failing }, "latest"]), /revert/);
});

test("a quorum of more nodes than there are is refused at the start", async (t) => {
  const args = ["start", "--rpc", "http://127.0.0.1:1,http://127.0.0.1:2", "--quorum", "3"];
  const { code, stderr } = await runProgram(t, [...args, "--data", temporaryDirectory(t)]).ended;

  assert.notEqual(code, 0);
  assert.match(stderr, /--quorum 3 needs as many nodes in --rpc, which names 2/);
});
