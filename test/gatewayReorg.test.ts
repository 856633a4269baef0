import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Gateway } from "../src/gateway/gateway.ts";
import type { Step } from "../src/indexer/indexer.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { JOURNALED_BLOCKS } from "../src/store/store.ts";
import { Anvil, endsOpen } from "./support/anvilNode.ts";
import { CHAIN_ID, DevelopmentNode, type SendingNode } from "./support/developmentNode.ts";
import type { Answer } from "./support/gatewayChain.ts";
import { serveBodies } from "./support/gatewayChain.ts";
import { Random } from "./support/random.ts";
import { RandomCalls } from "./support/randomCalls.ts";
import { findAnvil, RealNode } from "./support/realNode.ts";
import { firstSeed } from "./support/seed.ts";

/** Reads after each change of the chain. */
const CASES = Number(process.env.ORIEL_CASES ?? 30);
const SEED = firstSeed();
const METHOD_NOT_FOUND = -32_601;

interface ServedNode {
  readonly url: string;
  readonly node: SendingNode;
  /** Whether it answers for logs of any range. */
  readonly unboundedLogs: boolean;
}

async function openEmbedded(t: TestContext): Promise<ServedNode> {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { url } = await serveBodies(t, async (body) => (await node.node.handle(body, true)) as string);
  return { url, node, unboundedLogs: false };
}

async function openAnvil(t: TestContext): Promise<ServedNode> {
  const kind = findAnvil();
  if (typeof kind === "string") throw new Error(kind);
  const real = await RealNode.start(t, { ...kind, args: [...kind.args, "--chain-id", String(CHAIN_ID)] });
  return { url: real.url, node: new Anvil(real), unboundedLogs: true };
}

/** A node that reorganises, an index that is not to follow it wherever it goes, and the gateway in front of both. */
class Reorganised {
  readonly calls: RandomCalls;
  readonly node: SendingNode;
  readonly #url: string;
  readonly #gateway: Gateway;
  readonly #indexer: Indexer;

  private constructor(served: ServedNode, gateway: Gateway, indexer: Indexer) {
    this.#url = served.url;
    this.node = served.node;
    this.#gateway = gateway;
    this.#indexer = indexer;
    this.calls = new RandomCalls(served.node, new Random(SEED));
    this.calls.askForLost(0.4);
  }

  static async open(t: TestContext, served: ServedNode): Promise<Reorganised> {
    const store = await openStore(IN_MEMORY, CHAIN_ID);
    t.after(() => store.close());
    const source = new Upstream({ url: served.url, chainId: CHAIN_ID });
    const upstreams = openPool([served.url], { chainId: CHAIN_ID });
    t.after(() => Promise.all([source.close(), upstreams.close()]));
    const { unboundedLogs } = served;
    const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: true, unboundedLogs };
    const gateway = new Gateway({ chainId: CHAIN_ID, upstreams, store, ...rules });
    return new Reorganised(served, gateway, new Indexer({ store, source, integrity: "observe", stages: [] }));
  }

  /** Lets the index follow as far as it does. */
  async index(): Promise<Step> {
    for (;;) {
      const step = await this.#indexer.step();
      if (step === "idle" || step === "stale") return step;
    }
  }

  /** Random reads, each of which the gateway answers as the node. */
  async expectSame(label: string): Promise<void> {
    for (let count = 0; count < CASES; count++) {
      const [method, params] = this.calls.next();
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const answered = JSON.parse(textOf((await this.#gateway.handle(body, false))!)) as Answer;
      const expected = await this.#askNode(body);
      // What the node does not have, the gateway answers from the index; and a last topic that may be any, as geth does.
      if (expected.error?.code === METHOD_NOT_FOUND) continue;
      if (method === "eth_getLogs" && endsOpen(params[0])) continue;
      assert.deepEqual(answered, expected, `${label}: ${method} ${JSON.stringify(params)}`);
    }
  }

  async #askNode(body: string): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    return (await (await fetch(this.#url, { method: "POST", body, headers })).json()) as Answer;
  }
}

const anvil = findAnvil();

for (const [name, open, skip] of [
  ["the embedded node", openEmbedded, false],
  ["anvil", openAnvil, typeof anvil === "string" && anvil],
] as const) {
  const of = `of ${name}, ${CASES} reads each time, seed ${SEED}`;

  test(`reads while a reorganisation is waited out are those ${of}`, { skip }, async (t) => {
    const chain = await Reorganised.open(t, await open(t));
    const { calls, node } = chain;
    const height = async () => Number(await node.ask("eth_blockNumber"));
    await calls.begin();
    while ((await height()) < 30) await calls.grow();
    const before = await height();
    await chain.index();
    await chain.expectSame("before");

    await calls.goBack(20);
    await chain.expectSame("after the head went back");
    assert.equal(await chain.index(), "stale");
    await chain.expectSame("while the node is behind");
    await calls.grow();
    assert.equal(await chain.index(), "stale");
    await chain.expectSame("while another branch is waited for");
    while ((await height()) <= before) await calls.grow();
    await chain.expectSame("before the branch is followed");
    assert.equal(await chain.index(), "idle");
    await chain.expectSame("after it is followed");
  });

  test(`reads after a reorganisation deeper than the index follows are those ${of}`, { skip }, async (t) => {
    const chain = await Reorganised.open(t, await open(t));
    const { calls, node } = chain;
    const depth = JOURNALED_BLOCKS.min + 40;
    await calls.begin();
    await node.ask("anvil_mine", `0x${depth.toString(16)}`);
    for (let count = 0; count < 3; count++) await calls.grow();
    await chain.index();
    await chain.expectSame("before");

    await calls.reorganise(depth);
    await chain.expectSame("at once");
    await assert.rejects(chain.index(), { code: "deep_reorg" });
    await chain.expectSame("after the indexer stopped");
    for (let count = 0; count < 3; count++) await calls.grow();
    await assert.rejects(chain.index(), { code: "deep_reorg" });
    await chain.expectSame("after the node went on");
  });
}
