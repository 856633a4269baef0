import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Post, RpcServer } from "../../../test/support/rpcServer.ts";
import { answerWell, openServer, RpcFault } from "../../../test/support/rpcServer.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { Upstream } from "../upstream.ts";
import { openPool } from "./openPool.ts";
import { Pool } from "./pool.ts";

const RAW = "0x02aabb";
const HASH = toHex(keccak256(Buffer.from(RAW.slice(2), "hex")));
const RETRY = { attempts: 1, invalidAttempts: 1, unreachedAttempts: 1 };

/** Node behaviour on a transaction. */
type Reception = "accept" | "hang" | "drop" | { readonly refusal: string };

function receive(reception: Reception, after: number) {
  return async (post: Post) => {
    const isSent = post.calls[0]!.method === "eth_sendRawTransaction";
    if (!isSent) return answerWell({ eth_getBlockByNumber: () => null }, post);
    await delay(after);
    if (reception === "hang") return;
    if (reception === "drop") return void post.response.destroy();
    const send = () => {
      if (reception === "accept") return HASH;
      throw new RpcFault(-32_000, reception.refusal);
    };
    answerWell({ eth_sendRawTransaction: send }, post);
  };
}

async function openPoolOf(t: TestContext, receptions: readonly (readonly [Reception, number])[]) {
  const servers = await Promise.all(receptions.map(([reception, after]) => openServer(t, receive(reception, after))));
  const upstreams = servers.map(({ url }) => new Upstream({ url, chainId: 677, retry: RETRY, timeoutMs: 5000 }));
  const pool = new Pool(upstreams, { hedgeDelay: 300, retry: RETRY });
  t.after(() => pool.close());
  return { pool, servers };
}

const sent = (servers: readonly RpcServer[]) =>
  servers.map((server) => server.methods().filter((method) => method === "eth_sendRawTransaction").length);

test("a transaction is sent to all nodes, and the first that accepts it answers", async (t) => {
  const { pool, servers } = await openPoolOf(t, [
    ["hang", 0],
    [{ refusal: "nonce too low" }, 0],
    ["accept", 60],
  ]);

  assert.equal(await pool.pass("eth_sendRawTransaction", [RAW]), JSON.stringify(HASH));
  assert.deepEqual(sent(servers), [1, 1, 1]);
});

test("a transaction that every node refuses is refused in a node's words", async (t) => {
  const { pool } = await openPoolOf(t, [
    [{ refusal: "already known" }, 0],
    [{ refusal: "nonce too low: next nonce 7" }, 20],
  ]);

  await assert.rejects(pool.pass("eth_sendRawTransaction", [RAW]), /nonce too low: next nonce 7/);
});

test("a node that has a transaction from one that failed after taking it counts as accepting it", async (t) => {
  const { pool, servers } = await openPoolOf(t, [
    ["drop", 0],
    [{ refusal: "already known" }, 20],
  ]);

  assert.equal(await pool.pass("eth_sendRawTransaction", [RAW]), JSON.stringify(HASH));
  assert.deepEqual(sent(servers), [1, 1]);
});

test("a slow call is hedged, and the first response counts", async (t) => {
  const answering = (hangs: boolean) => (post: Post) => {
    if (hangs && post.calls[0]!.method === "eth_gasPrice") return;
    answerWell({ eth_getBlockByNumber: () => null, eth_gasPrice: () => quantity(1) }, post);
  };
  const slow = [await openServer(t, answering(true)), await openServer(t, answering(true))];
  const quick = await openServer(t, answering(false));
  const urls = [...slow, quick].map(({ url }) => url);
  const pool = openPool(urls, { chainId: 677, hedgeDelay: 30 });
  t.after(() => pool.close());

  assert.equal(await pool.pass("eth_gasPrice", []), '"0x1"');
});
