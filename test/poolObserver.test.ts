import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { TokenObserver } from "../src/indexer/observe/observer.ts";
import { PoolObserver, RECONCILED } from "../src/indexer/observe/poolObserver.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { autocommit } from "./support/autocommit.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { PlainToken } from "./support/plainLedger.ts";
import { plainLedger } from "./support/plainLedger.ts";
import type { PlainCreation } from "./support/plainPools.ts";
import { plainExchange } from "./support/plainPools.ts";
import { firstSeed } from "./support/seed.ts";
import type { ContractAnswer } from "./support/simulatedCalls.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { RpcError } from "./support/simulatedMethods.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { wordOf } from "./support/simulatedTokens.ts";
import type { TrafficOptions } from "./support/simulatedTraffic.ts";

const SEED = firstSeed();
const ONCE = { attempts: 1, invalidAttempts: 1 };
const SELECTORS = {
  factory: "0xc45a0155",
  token0: "0x0dfe1681",
  token1: "0xd21220a7",
  getPair: "0xe6a43905",
  getPool: "0x1698ee82",
  poolByPair: "0xd9a641e1",
  customPoolByPair: "0x23da36cc",
  getSolidlyPair: "0x6801cc30",
  getSolidlyPool: "0x79bc57d5",
  stable: "0x22be3de1",
  balanceOf: "0x70a08231",
  totalSupply: "0x18160ddd",
};

/** An index with its observer of pools, and a node on which of each pool one creation is true. */
class Watched {
  readonly chain: SimulatedChain;
  store!: Store;
  observer!: PoolObserver;
  tokenObserver!: TokenObserver;
  #ledgerAt: { readonly head: string; readonly tokens: Map<string, PlainToken> } | undefined;
  readonly truths = new Map<string, PlainCreation>();
  /** Added to the balances that tokens report. */
  bonus = 0n;
  readonly silent = new Set<string>();
  /** Factories that say nothing of their pools. */
  readonly denying = new Set<string>();
  asked = 0;
  /** Maps a sum of transfers to the balance or supply that the token reports. */
  balanceReported = (amount: bigint) => amount + this.bonus;

  constructor(traffic: Partial<TrafficOptions> = {}, seed = SEED) {
    this.chain = new SimulatedChain({
      seed,
      traffic: { transactions: [2, 6], pools: 16, algebra: true, solidly: true, ...traffic },
    });
  }

  async open(t: TestContext): Promise<void> {
    const contracts: ContractAnswer = (to, data) => this.#answer(to, data);
    const node = await startSimulatedNode(this.chain, { contracts });
    const source = new Upstream({ url: node.url, timeoutMs: 1000, sockets: 4, retry: ONCE });
    this.store = await openStore(IN_MEMORY, this.chain.chainId);
    this.observer = new PoolObserver({ store: this.store, source, restMilliseconds: 1 });
    this.tokenObserver = new TokenObserver({ store: this.store, source, restMilliseconds: 1 });
    t.after(async () => {
      await source.close();
      await node.close();
      await this.store.close();
    });
  }

  #answer(to: string, data: string): string {
    this.asked++;
    const [selector, args] = [data.slice(0, 10), data.slice(10)];
    if (this.silent.has(to)) throw new RpcError(-32000, "execution aborted (timeout = 5s)");
    const ledger = this.#ledger().get(to);
    if (selector === SELECTORS.totalSupply) return `0x${wordOf(this.balanceReported(ledger?.supply ?? 0n))}`;
    if (selector === SELECTORS.balanceOf) {
      return `0x${wordOf(this.balanceReported(ledger?.balances.get(`0x${args.slice(24)}`) ?? 0n))}`;
    }
    const truth = this.truths.get(to);
    if (selector === SELECTORS.factory && truth && truth.generation !== 1) return asWord(truth.factory);
    if (selector === SELECTORS.stable && truth) return `0x${wordOf(truth.type === "stable" ? 1n : 0n)}`;
    if (selector === SELECTORS.token0 && truth) return asWord(truth.tokens[0]);
    if (selector === SELECTORS.token1 && truth) return asWord(truth.tokens[1]);
    for (const [pool, { factory, type, tokens, fee, deployer, generation }] of this.truths) {
      const first = deployer === undefined ? [] : [asWord(deployer)];
      const flag = generation === undefined ? undefined : type === "stable" ? 1n : 0n;
      const last = fee ?? flag;
      const asked = [...first, ...tokens.map(asWord), ...(last === undefined ? [] : [`0x${wordOf(last)}`])];
      const isAsked = args === asked.map((word) => word.slice(2)).join("");
      const ofAlgebra = deployer === undefined ? SELECTORS.poolByPair : SELECTORS.customPoolByPair;
      const ofSolidly = generation === 1 ? SELECTORS.getSolidlyPair : SELECTORS.getSolidlyPool;
      const others = { v2: SELECTORS.getPair, algebra: ofAlgebra, v3: SELECTORS.getPool, v4: "", infinity: "" };
      const isOf = selector === (type === "volatile" || type === "stable" ? ofSolidly : others[type]);
      if (factory === to && isOf && isAsked && !this.denying.has(to)) return asWord(pool);
    }
    if (this.truths.has(to) && selector !== SELECTORS.factory) return "0x";
    throw new RpcError(3, "execution reverted");
  }

  #ledger(): Map<string, PlainToken> {
    if (this.#ledgerAt?.head !== this.chain.head.hash) {
      this.#ledgerAt = { head: this.chain.head.hash, tokens: plainLedger(this.chain) };
    }
    return this.#ledgerAt.tokens;
  }

  async follow(): Promise<void> {
    const indexer = new Indexer({ store: this.store, source: simulatedSource(this.chain), stages: STAGES });
    while ((await indexer.step()) !== "idle");
  }

  async observeAll(): Promise<void> {
    await this.follow();
    for (let rounds = 0; (await this.observer.round()) > 0; rounds++) assert.ok(rounds < 100, "it does not end");
  }

  /** Observations by pool address. */
  async seen() {
    const { exchange } = this.store.latest;
    const creations = await exchange.creations(-1, 1000);
    const addresses = new Map(creations.map(({ pool, address }) => [pool, toHex(address)]));
    const observations = await exchange.observations([...addresses.keys()]);
    return new Map([...addresses].map(([pool, address]) => [address, observations.get(pool)]));
  }
}

/** Of a pool of V4, whose manager itself says that it has it. */
const managerOf = (pool: string) => (pool.length > 42 ? pool.slice(0, 42) : undefined);

const asWord = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;

/** Of every pool the last claimed creation is true, except for some without any; none has a token without an address. */
function reportTruths(watched: Watched, isForged: (pool: string, at: number) => boolean = () => false): void {
  let at = 0;
  for (const [pool, reported] of plainExchange(watched.chain).creations) {
    if (managerOf(pool) !== undefined) continue;
    const truth = reported.findLast(({ tokens }) => tokens.every((token) => BigInt(token) > 0n));
    const isReported = watched.truths.has(pool);
    if (!isForged(pool, at++) && !isReported && truth !== undefined) watched.truths.set(pool, truth);
  }
}

test(`a pool is confirmed by itself and its factory, whoever else claims its creation (seed ${SEED})`, async (t) => {
  const watched = new Watched();
  await watched.open(t);
  watched.chain.mine(240);
  reportTruths(watched, (_, at) => at % 5 === 4);
  const factories = [...watched.truths.values()].map(({ factory }) => factory);
  const countOf = (factory: string) => factories.filter((one) => one === factory).length;
  watched.denying.add(factories.toSorted((a, b) => countOf(a) - countOf(b))[0]!);

  await watched.observeAll();

  const seen = await watched.seen();
  const { creations } = plainExchange(watched.chain);
  assert.deepEqual(new Set(seen.keys()), new Set(creations.keys()));
  let [confirmed, contested] = [0, 0];
  for (const [pool, observation] of seen) {
    const truth = watched.truths.get(pool);
    const confirming = truth === undefined || watched.denying.has(truth.factory) ? undefined : truth.factory;
    const factory = managerOf(pool) ?? confirming;
    assert.equal(observation?.factory && toHex(observation.factory), factory, `seed ${SEED}: ${pool}`);
    if (factory !== undefined) confirmed++;
    if (factory !== undefined && creations.get(pool)!.length > 1) contested++;
  }
  assert.ok(confirmed > 2 && contested > 0, `${confirmed} confirmed, ${contested} of them contested (seed ${SEED})`);
});

test("balances outside a pool's events are known within 100 blocks, and its tokens are observed", async (t) => {
  const watched = new Watched();
  await watched.open(t);
  watched.chain.mine(60);
  reportTruths(watched);
  await watched.observeAll();
  const differences = async () =>
    new Set(
      [...(await watched.seen())].flatMap(([pool, one]) =>
        watched.truths.has(pool) ? [one!.difference0, one!.difference1] : [],
      ),
    );
  assert.deepEqual(await differences(), new Set([0n]), `seed ${SEED}`);
  await autocommit(watched.store.database).run("DELETE FROM token_due");

  watched.bonus = 77n;
  watched.chain.mine(RECONCILED);
  reportTruths(watched);
  await watched.observeAll();

  assert.deepEqual(await differences(), new Set([77n]), `seed ${SEED}`);
  const [due] = await watched.store.database.all(
    "SELECT count(*) FROM token_due WHERE block = 0 AND token NOT IN (SELECT id FROM token)",
  );
  assert.ok(Number(due![0]) > 10, `${due![0]} tokens are due`);
  watched.bonus = 0n;
  watched.chain.mine(RECONCILED);
  reportTruths(watched);
  await watched.observeAll();
  assert.deepEqual(await differences(), new Set([0n]), `seed ${SEED}`);
});

test("what was observed above a block goes with it, is found again, and is in no fingerprint", async (t) => {
  const watched = new Watched();
  await watched.open(t);
  watched.chain.mine(40);
  reportTruths(watched);
  await watched.follow();
  const before = await watched.store.read(fingerprint);
  await watched.observeAll();
  assert.equal(await watched.store.read(fingerprint), before);

  watched.chain.fork(12, 14);
  await watched.follow();
  const gone = [...(await watched.seen()).values()].filter((one) => one !== undefined);
  watched.truths.clear();
  reportTruths(watched);
  await watched.observeAll();

  assert.deepEqual(gone, []);
  const seen = await watched.seen();
  assert.deepEqual(new Set(seen.keys()), new Set(plainExchange(watched.chain).creations.keys()));
  for (const [pool, one] of seen) {
    const factory = managerOf(pool) ?? watched.truths.get(pool)?.factory;
    assert.equal(one?.factory && toHex(one.factory), factory);
  }
});

test("a pool that the node cannot speak of is asked again after 4 blocks", async (t) => {
  const watched = new Watched();
  await watched.open(t);
  watched.chain.mine(40);
  reportTruths(watched);
  const [silent] = [...watched.truths.keys()];
  watched.silent.add(silent!);
  await watched.observeAll();
  const asked = (await watched.seen()).get(silent as Hex)!;
  assert.deepEqual([asked.factory, asked.failures, asked.again - asked.block], [undefined, 1, 4]);

  watched.silent.clear();
  watched.chain.mine(4);
  reportTruths(watched);
  await watched.observeAll();

  const answered = (await watched.seen()).get(silent as Hex)!;
  assert.deepEqual([toHex(answered.factory!), answered.failures], [watched.truths.get(silent!)!.factory, 0]);
});

/** Honest tokens of which some pool holds enough to notice a tenth more. */
function pooledTokens({ chain, truths }: Watched): boolean[] {
  const ledger = plainLedger(chain);
  const holds = (pool: string, token: string) => (ledger.get(token)?.balances.get(pool) ?? 0n) > 9n;
  return chain.honestTokens.map((token) =>
    [...truths].some(([pool, { tokens }]) => tokens.includes(token) && holds(pool, token)),
  );
}

test("a token that rebases is labelled, and what pools have of it known, within 100 blocks", async (t) => {
  const traffic = { honestTokens: 2, pools: 5, logs: [0, 0] } as const;
  const hasPooled = (watched: Watched) => {
    watched.chain.mine(120);
    reportTruths(watched);
    return pooledTokens(watched).includes(true);
  };
  let [seed, watched] = [SEED, new Watched(traffic)];
  while (!hasPooled(watched)) watched = new Watched(traffic, ++seed);
  await watched.open(t);
  await watched.observeAll();
  while ((await watched.tokenObserver.round()) > 0);
  const labels = async () => {
    const ids = await Promise.all(
      watched.chain.honestTokens.map((hex) => watched.store.latest.addresses.id(fromHex(hex))),
    );
    const tokens = await watched.store.read((session) => session.tokens.byId(ids as number[]));
    return ids.map((id) => tokens.get(id!)?.labels);
  };
  assert.deepEqual(await labels(), [[], []], `seed ${seed}`);

  watched.balanceReported = (amount) => (amount < 0n ? 0n : (amount * 110n) / 100n);
  watched.chain.mine(RECONCILED);
  reportTruths(watched);
  await watched.observeAll();
  while ((await watched.tokenObserver.round()) > 0);

  const ledger = plainLedger(watched.chain);
  const [pooled, found] = [pooledTokens(watched), await labels()];
  for (const [at, isPooled] of pooled.entries())
    if (isPooled) assert.deepEqual(found[at], ["ledger_differs", "rebasing"], `seed ${seed}`);
  for (const [pool, seen] of await watched.seen()) {
    const truth = watched.truths.get(pool);
    if (truth === undefined) continue;
    const expected = truth.tokens.map((token) => {
      const balance = ledger.get(token)?.balances.get(pool) ?? 0n;
      return watched.balanceReported(balance) - balance;
    });
    assert.deepEqual([seen?.difference0, seen?.difference1], expected, `seed ${seed}: ${pool}`);
  }
});
