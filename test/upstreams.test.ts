import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { quantity, toHex } from "../src/chain/encoding/hex.ts";
import { Gateway } from "../src/gateway/gateway.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import { Pool } from "../src/source/pool/pool.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { Answer } from "./support/gatewayChain.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { FaultSettings } from "./support/simulatedFaults.ts";
import { answer } from "./support/simulatedMethods.ts";
import type { SimulatedNode } from "./support/simulatedNode.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { until } from "./support/waiting.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 300);
const SEED = firstSeed();
const CALLS_PER_ROUND = 100;

/** Milliseconds after which a node that does not answer is given up. */
const HANG = 300;

/** How the pool sees nodes that can be asked. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  good: ["ok"],
  lagging: ["behind"],
  "wrong fork": ["on another branch"],
};

/** Three nodes of one chain, of which two can be made to misbehave, and a pool of them. */
class Three {
  readonly chain: SimulatedChain;
  readonly #twin: SimulatedChain;
  readonly nodes: readonly SimulatedNode[];
  readonly random: Random;
  /** Which fault each of those that misbehave has, and which all had before. */
  readonly #chosen = new Map<SimulatedNode, string>();
  #before: readonly string[] = [];

  private constructor(chain: SimulatedChain, twin: SimulatedChain, nodes: readonly SimulatedNode[], random: Random) {
    this.chain = chain;
    this.#twin = twin;
    this.nodes = nodes;
    this.random = random;
  }

  static async start(t: TestContext): Promise<Three> {
    const [chain, twin] = [new SimulatedChain({ seed: SEED }), new SimulatedChain({ seed: SEED })];
    for (const one of [chain, twin]) one.mine(60);
    twin.fork(8, 9);
    const nodes = await Promise.all([0, 1, 2].map((at) => startSimulatedNode(chain, { seed: SEED + at })));
    t.after(() => Promise.all(nodes.map((node) => node.close())));
    return new Three(chain, twin, nodes, new Random(SEED));
  }

  open(t: TestContext, options: { hedgeDelay: number; pollInterval: number }): Pool {
    const limits = { timeoutMs: HANG, bodyTimeoutMs: HANG, settledMs: 50 };
    const retry = { attempts: 1, invalidAttempts: 1, unreachedAttempts: 1 };
    const upstreams = this.nodes.map(({ url }) => new Upstream({ url, chainId: 677, retry, ...limits }));
    const pool = new Pool(upstreams, { branchTimeout: 2000, ...options });
    t.after(() => pool.close());
    return pool;
  }

  /** Two of them misbehave, each in its own way; the third does not. */
  misbehave(): string {
    const [good, ...bad] = this.random.shuffle(this.nodes);
    const faults = this.random.shuffle(Object.entries(this.#faults));
    good!.faults.clear();
    this.#chosen.clear();
    const chosen = bad.map((node, at) => {
      const [name, settings] = faults[at]!;
      node.faults.set(settings);
      this.#chosen.set(node, name);
      return `${this.nodes.indexOf(node)}: ${name}`;
    });
    return chosen.join(", ");
  }

  /** One of them misbehaves in this way from now on. */
  set(at: number, name: string): void {
    this.nodes[at]!.faults.set(this.#faults[name]!);
  }

  /**
   * Waits until the pool knows which nodes are behind or on another branch. Other faults are not waited for: a node that
   * changed its blocks since the last poll cannot be distinguished.
   */
  async noticed(pool: Pool): Promise<void> {
    const now = this.nodes.map((node) => this.#chosen.get(node) ?? "good");
    const isOther = [...now, ...this.#before].some((fault) => fault === "wrong fork" || fault === "lagging");
    this.#before = now;
    const isKnown = () => pool.states.every(({ state }, at) => (STATES[now[at]!] ?? ["failing"]).includes(state));
    await until("the pool knows", async () => {
      if (isOther && !isKnown()) await pool.head().catch(() => {});
      return !isOther || isKnown();
    });
  }

  get #faults(): Record<string, FaultSettings> {
    return {
      dead: { transport: ["reset"] },
      stalled: { transport: ["hang"] },
      lagging: { staleBy: 20 },
      "wrong fork": { otherChain: this.#twin },
      busy: { transport: ["tooManyRequests"], retryAfterSeconds: 1 },
      garbage: { transport: ["html", "truncated", "wrongIds"] },
      unavailable: { transport: ["unavailable"] },
    };
  }

  grow(): void {
    for (const chain of [this.chain, this.#twin]) chain.mine(1);
  }
}

/** A call whose answer is the same on every node that is well, as long as the chain is. */
function anyCall({ chain, random }: Three): [method: string, params: unknown[]] {
  const block = chain.at(random.int(chain.length))!;
  const hash = () => random.pick(block.block.transactions.map((tx) => tx.hash).concat(block.hash));
  const account = `0x${"12".repeat(20)}`;
  return random.pick<[string, unknown[]]>([
    ["eth_getBlockByNumber", [quantity(block.number), random.chance(0.5)]],
    ["eth_getBlockByHash", [block.hash, random.chance(0.5)]],
    ["eth_getBlockReceipts", [quantity(block.number)]],
    ["eth_getTransactionByHash", [hash()]],
    ["eth_getTransactionReceipt", [hash()]],
    ["eth_getBalance", [account, { blockHash: block.hash }]],
    ["eth_getCode", [account, quantity(block.number)]],
    ["eth_getBlockByNumber", [quantity(chain.head.number), true]],
  ]);
}

async function openMemory(t: TestContext): Promise<Store> {
  const store = await openStore(IN_MEMORY, 677);
  t.after(() => store.close());
  return store;
}

/** Follows the chain in the background, whatever fails meanwhile. */
function keepIndexing(t: TestContext, store: Store, source: Pool) {
  const indexer = new Indexer({ store, source, stages: [] });
  let isEnding = false;
  t.after(() => {
    isEnding = true;
  });
  const running = (async () => {
    while (!isEnding) {
      await indexer.step().catch(() => {});
      await delay(10);
    }
  })();
  return {
    /** Ends once the index has this block. */
    async until(hash: string): Promise<void> {
      await until(`the index has block ${hash}`, async () => {
        const tip = await store.latest.blocks.tip();
        return tip !== undefined && toHex(tip.hash) === hash;
      });
      isEnding = true;
      await running;
    },
  };
}

test(`with two of three nodes misbehaving, ${CASES} calls are answered as by a good one, seed ${SEED}`, async (t) => {
  const three = await Three.start(t);
  const pool = three.open(t, { hedgeDelay: 60, pollInterval: 30 });
  const [store, empty, expected] = [await openMemory(t), await openMemory(t), await openMemory(t)];
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: true, unboundedLogs: true };
  const gateways = [store, empty].map((one) => new Gateway({ chainId: 677, upstreams: pool, store: one, ...rules }));
  const ask = async (method: string, params: unknown[]) => {
    const gateway = three.random.pick(gateways);
    const text = await gateway.handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), false);
    return JSON.parse(textOf(text!)) as Answer;
  };
  await pool.head();
  const indexing = keepIndexing(t, store, pool);

  for (let asked = 0; asked < CASES; asked += CALLS_PER_ROUND) {
    const faults = three.misbehave();
    three.grow();
    await three.noticed(pool);
    let left = CALLS_PER_ROUND;
    const client = async () => {
      while (left-- > 0) {
        const [method, params] = anyCall(three);
        const { result, error } = await ask(method, params);
        const expected = JSON.parse(JSON.stringify(answer({ chain: three.chain }, { method, params }))) as unknown;
        assert.equal(error, undefined, `${faults}: ${method} ${JSON.stringify([params, error, pool.states])}`);
        assert.deepEqual(result, expected, `${faults}: ${method} ${JSON.stringify(params)}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
  }

  for (const node of three.nodes) node.faults.clear();
  await indexing.until(three.chain.head.hash);
  const anew = new Indexer({ store: expected, source: simulatedSource(three.chain), stages: [] });
  while ((await anew.step()) !== "idle");
  assert.deepEqual(await store.read(fingerprint), await expected.read(fingerprint));
});

test(`the index is exact with two of three nodes misbehaving, seed ${SEED}`, async (t) => {
  const three = await Three.start(t);
  const pool = three.open(t, { hedgeDelay: 20, pollInterval: 20 });
  const [store, expected] = [await openMemory(t), await openMemory(t)];
  const indexer = new Indexer({ store, source: pool, stages: [] });
  await pool.head();

  for (let round = 0; round < CASES / CALLS_PER_ROUND; round++) {
    const faults = three.misbehave();
    three.grow();
    // If two nodes leave a branch at once, it cannot be decided which is right.
    if (three.random.chance(0.4) && !faults.includes("wrong fork")) three.chain.fork(2, 3);
    const { number, hash } = three.chain.head;
    for (let step = 0; ; step++) {
      const tip = await indexer.step().then(
        () => store.latest.blocks.tip(),
        () => undefined,
      );
      if (tip?.number === number && toHex(tip.hash) === hash) break;
      assert.ok(step < 2000, `${faults}: the index is at ${tip?.number}, the chain at ${number}`);
      await delay(5);
    }
  }

  const anew = new Indexer({ store: expected, source: simulatedSource(three.chain), stages: [] });
  while ((await anew.step()) !== "idle");
  assert.deepEqual(await store.read(fingerprint), await expected.read(fingerprint));
});

test("a node that has stopped answering does not speak for the branch that it was on", async (t) => {
  const three = await Three.start(t);
  const pool = three.open(t, { hedgeDelay: 60, pollInterval: 30 });
  three.set(0, "wrong fork");
  const { hash } = three.chain.head;
  const headHash = async () => toHex((await pool.head()).hash);
  assert.equal(await headHash(), hash);

  three.set(0, "stalled");
  three.set(1, "wrong fork");

  for (let looks = 0; looks < 10; looks++) {
    assert.equal(await headHash().catch(() => hash), hash);
    assert.notEqual(pool.states[2]!.state, "on another branch");
  }
});

test("what only a node that is behind lacks is asked of one that has come back", async (t) => {
  const three = await Three.start(t);
  const pool = three.open(t, { hedgeDelay: 60, pollInterval: 60_000 });
  three.set(0, "wrong fork");
  three.set(1, "lagging");
  await pool.head();
  three.set(2, "dead");
  three.nodes[0]!.faults.clear();

  const { number, hash } = three.chain.head;
  const block = JSON.parse(await pool.pass("eth_getBlockByNumber", [quantity(number), false])) as {
    hash: string;
  } | null;
  const balance = await pool.pass("eth_getBalance", [`0x${"12".repeat(20)}`, quantity(number)]);

  assert.equal(block?.hash, hash);
  assert.match(balance, /^"0x/);
});
