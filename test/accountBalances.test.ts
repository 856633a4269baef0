import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { formatEther } from "ethers";
import type { FastifyInstance } from "fastify";
import { createApp } from "../src/api/app.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../src/chain/encoding/hex.ts";
import { AGAIN_EVERY, BalanceFollower } from "../src/indexer/balances/balanceFollower.ts";
import { compareAccounts } from "../src/indexer/balances/compareAccounts.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { AUDITED_STAGES, STAGES } from "../src/indexer/stages.ts";
import { TraceFollower } from "../src/indexer/traces/traceFollower.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { checkAnswers } from "./support/answerSchemas.ts";
import type { Json } from "./support/api.ts";
import { SETTINGS } from "./support/api.ts";
import { autocommit } from "./support/autocommit.ts";
import { CHAIN_ID } from "./support/developmentNode.ts";
import { describeEngines } from "./support/engines.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { TracedChain } from "./support/tracedChain.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();

interface Account {
  readonly hash: Hex;
  readonly coin_balance: string;
}

/** An index of a chain that keeps the balances of its accounts, and the app over it, which has no node to ask. */
class Ranked {
  readonly chain: TracedChain;
  readonly store: Store;
  readonly app: FastifyInstance;
  readonly errors: string[] = [];
  /** Milliseconds by the clock of who follows balances. */
  time = 0;
  readonly #expectDescribed: () => void;
  #indexer!: Indexer;
  #traces!: TraceFollower;
  #balances!: BalanceFollower;

  private constructor(chain: TracedChain, store: Store) {
    this.chain = chain;
    this.store = store;
    this.app = createApp({ store, settings: { ...SETTINGS, chainId: CHAIN_ID } });
    this.#expectDescribed = checkAnswers(this.app);
    this.restart();
  }

  static async open(t: TestContext, url: string, around?: TracedOptions["around"]): Promise<Ranked> {
    const chain = await TracedChain.open(t, around && { around });
    const ranked = new Ranked(chain, await openStore(url, CHAIN_ID));
    t.after(async () => {
      await ranked.app.close();
      await ranked.store.close();
    });
    return ranked;
  }

  /** As the program does that begins again over the same index: what was being asked is lost. */
  restart(): void {
    const { store } = this;
    const { source } = this.chain;
    this.#traces = new TraceFollower({ store, source });
    this.#balances = new BalanceFollower({
      ...{ store, source, now: () => this.time },
      onError: (reason) => this.errors.push(reason),
    });
    const [traces, balances] = [this.#traces, this.#balances];
    this.#indexer = new Indexer({ store, source, stages: STAGES, traces, balances, integrity: "enforce" });
  }

  /** One round; answers whether there may be more to do. */
  async step(): Promise<boolean> {
    const step = await this.#indexer.step();
    await Promise.all([this.#traces.settled(), this.#balances.settled()]);
    return step !== "idle" || this.#traces.isBusy || this.#balances.isBusy;
  }

  async settle(): Promise<void> {
    while (await this.step());
  }

  async get(path: string): Promise<{ status: number; body: Json }> {
    const response = await this.app.inject({ method: "GET", url: `/api/v2/${path}` });
    this.#expectDescribed();
    return { status: response.statusCode, body: response.json<Json>() };
  }

  async balance(address: string, number: number): Promise<bigint> {
    return BigInt(await this.chain.node.ask<Hex>("eth_getBalance", address, quantity(number)));
  }

  /** Balances according to the node of all addresses in an index from scratch, largest first. */
  async expected(number: number): Promise<{ hash: string; balance: bigint }[]> {
    const scratch = await this.chain.fromScratch();
    const seen = (await scratch.latest.addresses.some(100_000)).map(toHex);
    await scratch.close();
    const parties: (string | null)[] = [];
    for (let at = 1; at <= number; at++) {
      for (const { from, to } of await this.chain.plainCalls(at)) parties.push(from, to);
    }
    const all = new Set([...seen, ...parties.filter((party) => party !== null)]);
    const held = await Promise.all([...all].map(async (hash) => ({ hash, balance: await this.balance(hash, number) })));
    return held.filter(({ balance }) => balance > 0n).sort((a, b) => (a.balance < b.balance ? 1 : -1));
  }
}

type TracedOptions = NonNullable<Parameters<typeof TracedChain.open>[1]>;

/** All pages by their anchors; each is the one that its number leads to. */
async function walk(ranked: Ranked, size: number): Promise<{ items: Account[]; first: Json }> {
  const { status, body: first } = await ranked.get(`addresses?page_size=${size}`);
  assert.equal(status, 200, JSON.stringify(first));
  const items: Account[] = [];
  for (let page = first; ; ) {
    items.push(...(page.items as Account[]));
    assert.deepEqual([page.total_count, page.total_supply], [first.total_count, first.total_supply]);
    const alone = await ranked.get(`addresses?page_size=${size}&page=${page.page}`);
    assert.deepEqual(alone.body, page);
    const next = page.next_page_params as Record<string, string> | null;
    if (next === null) return { items, first };
    page = (await ranked.get(`addresses?${new URLSearchParams(next)}`)).body;
  }
}

async function expectRanking(ranked: Ranked, size: number, label: string): Promise<number> {
  const height = await ranked.chain.height();
  const expected = await ranked.expected(height);
  const { items, first } = await walk(ranked, size);

  assert.equal(first.block_number, height, label);
  assert.deepEqual(
    items.map(({ coin_balance }) => coin_balance),
    expected.map(({ balance }) => String(balance)),
    label,
  );
  const order = (list: readonly { readonly hash: string; readonly balance: bigint | string }[]) =>
    list.map(({ hash, balance }) => `${balance} ${hash.toLowerCase()}`).sort();
  assert.deepEqual(order(items.map(({ hash, coin_balance }) => ({ hash, balance: coin_balance }))), order(expected));
  const sum = expected.reduce((total, { balance }) => total + balance, 0n);
  assert.deepEqual(
    [first.total_count, first.total_supply],
    [expected.length, formatEther(sum).replace(/\.0$/, "")],
    label,
  );
  return items.length;
}

/** A page in the middle of anything is true at the block that it names, as long as the node has that block. */
async function expectTrue(ranked: Ranked, label: string): Promise<void> {
  const { status, body } = await ranked.get("addresses?page_size=1000");
  if (status !== 200) return;
  const number = body.block_number as number;
  const ours = await ranked.store.latest.blocks.byNumber(number);
  const theirs = await ranked.chain.node.ask<{ hash: Hex } | null>("eth_getBlockByNumber", quantity(number), false);
  if (theirs?.hash !== toHex(ours!.header.hash)) return;
  for (const { hash, coin_balance } of body.items as Account[]) {
    assert.equal(coin_balance, String(await ranked.balance(hash, number)), `${label}: ${hash} at block ${number}`);
  }
}

/** An index that asks the node for all balances lists the same accounts; so does the file of the list. */
async function expectSameAsAsked(ranked: Ranked): Promise<void> {
  const { body: kept } = await ranked.get("addresses?page_size=1000");
  const { body: asked } = await ranked.chain.get("/api/v2/addresses?page_size=1000");
  const file = await ranked.app.inject({ method: "GET", url: "/api/v2/addresses/csv" });
  const byHash = (items: readonly Account[]) => items.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  assert.deepEqual(byHash(kept.items as Account[]), byHash(asked.items as Account[]));
  assert.deepEqual([kept.total_supply, kept.block_number], [asked.total_supply, asked.block_number]);
  const listed = new Set(file.body.match(/0x[\dA-Fa-f]{40}/g));
  assert.deepEqual(
    [...listed].sort(),
    byHash(kept.items as Account[]).map(({ hash }) => hash),
  );
}

async function expectAudited({ store }: Ranked, label: string): Promise<void> {
  for (const { stage, events } of AUDITED_STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), [], `${label}: ${stage.name}`);
  }
}

/** Mines a payment to an account, which may be new. */
async function pay({ chain: { node } }: Ranked, random: Random): Promise<void> {
  await node.ask("evm_setAutomine", true);
  const to = random.chance(0.5) ? toHex(random.bytes(20)) : (`0x${"00".repeat(19)}${10 + random.int(9)}` as Hex);
  const nonce = Number(await node.ask("eth_getTransactionCount", node.account.address, "latest"));
  await node.send({ to, value: BigInt(random.int(1000)), nonce });
}

async function play(ranked: Ranked, random: Random): Promise<void> {
  for (let blocks = random.between(1, 5); blocks > 0; blocks--) {
    if (random.chance(0.5)) await ranked.chain.mine(random);
    else await pay(ranked, random);
  }
}

describeEngines((engine) => {
  test(`accounts of random chains are ranked by what the node says, through reorgs and restarts (seed ${SEED})`, async (t) => {
    for (let seed = SEED; seed < SEED + CASES; seed++) {
      const random = new Random(seed);
      const ranked = await Ranked.open(t, engine.memory);
      let accounts = 0;
      for (let round = 0; round < 4; round++) {
        const label = `seed ${seed}, round ${round}`;
        await play(ranked, random);
        const snapshot = await ranked.chain.node.ask("evm_snapshot");
        await play(ranked, random);
        for (let steps = random.int(8); steps > 0; steps--) {
          await ranked.step();
          await expectTrue(ranked, label);
        }
        if (random.chance(0.3)) ranked.restart();
        if (random.chance(0.7)) await ranked.chain.node.ask("evm_revert", snapshot);
        await play(ranked, random);
        for (let steps = random.int(8); steps > 0; steps--) {
          await ranked.step();
          await expectTrue(ranked, label);
        }
        await ranked.settle();
        accounts = await expectRanking(ranked, random.between(1, 9), label);
        await expectAudited(ranked, label);
      }
      await ranked.chain.settle();
      assert.equal(await ranked.store.read(fingerprint), await ranked.chain.store.read(fingerprint), `seed ${seed}`);
      await expectSameAsAsked(ranked);
      assert.deepEqual(ranked.errors, []);
      t.diagnostic(`${accounts} accounts in ${await ranked.chain.height()} blocks`);
    }
  });

  test("a node that fails sometimes is asked again, and the list is correct at the block it names", async (t) => {
    const random = new Random(SEED);
    let chance = 0.4;
    const around: TracedOptions["around"] = (handle) => (body, isTrusted) =>
      body.includes("eth_getBalance") && random.chance(chance) ? failed(body) : handle(body, isTrusted);
    const ranked = await Ranked.open(t, engine.memory, around);
    for (let round = 0; round < 5; round++) {
      await play(ranked, random);
      for (let steps = 0; steps < 12; steps++) {
        await ranked.step();
        ranked.time += random.int(3000);
        await expectTrue(ranked, `round ${round}`);
      }
    }
    assert.match(ranked.errors[0] ?? "", /^balances after block \d+ are not known: .*the node is ill/);
    chance = 0;
    ranked.time += 60_000;

    await ranked.settle();

    await expectRanking(ranked, 7, "after failures");
    await expectAudited(ranked, "after failures");
  });

  test("a node that knows blocks by number alone is asked so, and one without old states for all balances anew", async (t) => {
    let [byHash, oldest] = [0, 0];
    const around: TracedOptions["around"] = (handle) => (body, isTrusted) => {
      if (!body.includes("eth_getBalance")) return handle(body, isTrusted);
      const [, number] = body.match(/"(0x[\da-f]{1,8})"\]/) ?? [];
      if (body.includes("blockHash")) byHash++;
      else if (Number(number) >= oldest) return handle(body, isTrusted);
      return failed(body);
    };
    const ranked = await Ranked.open(t, engine.memory, around);
    const random = new Random(SEED);
    await play(ranked, random);
    await ranked.settle();
    assert.ok(byHash > 0);
    await expectRanking(ranked, 7, "by number");
    await play(ranked, random);
    await play(ranked, random);
    oldest = await ranked.chain.height();

    // Refused five times, it is asked for everything.
    for (let refusals = 0; refusals < 6; refusals++) {
      await ranked.settle();
      ranked.time += 60_000;
    }

    await expectRanking(ranked, 7, "anew");
  });

  test("what changes without a block is found when its turn comes to be asked about again", async (t) => {
    const ranked = await Ranked.open(t, engine.memory);
    const random = new Random(SEED);
    for (let blocks = 0; blocks < 3; blocks++) await play(ranked, random);
    await ranked.settle();
    await ranked.chain.node.ask("anvil_setBalance", ranked.chain.actor, quantity(10n ** 24n));
    await ranked.settle();
    const { body } = await ranked.get("addresses");
    assert.notEqual((body.items as Account[])[0]!.coin_balance, String(10n ** 24n));

    ranked.time += AGAIN_EVERY;
    await ranked.settle();

    await expectRanking(ranked, 5, "asked again");
    const { body: after } = await ranked.get("addresses");
    assert.equal((after.items as Account[])[0]!.coin_balance, String(10n ** 24n));
    const version = ranked.store.version;
    ranked.time += AGAIN_EVERY;
    await ranked.settle();
    assert.equal(ranked.store.version, version, "what is as it was is not written");
    await ranked.chain.node.ask("anvil_setBalance", ranked.chain.actor, quantity(10n ** 25n));
    await ranked.chain.node.ask("evm_mine");
    await ranked.settle();
    await expectRanking(ranked, 5, "after the next block");
  });

  test("the status names the block of the balances, and an audit asks the node about some of them", async (t) => {
    const ranked = await Ranked.open(t, engine.memory);
    await play(ranked, new Random(SEED));
    await ranked.settle();
    const height = await ranked.chain.height();

    const { body } = await ranked.get("../../status");
    const compared = await compareAccounts(ranked.store, ranked.chain.source, 3);
    const sql = "SELECT balance FROM native_balance ORDER BY balance DESC LIMIT 1";
    const [[richest]] = (await ranked.store.database.all(sql)) as [[Uint8Array]];
    const other = richest.with(-1, richest.at(-1)! ^ 1);
    await autocommit(ranked.store.database).run(
      "UPDATE native_balance SET balance = ? WHERE balance = ?",
      other,
      richest,
    );
    const damaged = await compareAccounts(ranked.store, ranked.chain.source, 1000);
    const [balances] = AUDITED_STAGES.slice(-1);
    const problems = await ranked.store.read((session) => balances!.stage.audit(session, balances!.events));

    const stage = (body.stages as Json[]).find(({ name }) => name === "native_balances");
    assert.equal(stage?.block, height);
    assert.deepEqual(compared, { asked: 3, differing: [] });
    assert.equal(damaged?.differing.length, 1);
    assert.match(damaged.differing[0]!, new RegExp(`^0x\\w+ has \\d+ after block ${height}, and \\d+ is kept$`));
    assert.deepEqual(problems, ["what accounts have together is not the sum of what each has"]);
  });

  test("a page beyond the last account, or with a forged anchor, is empty or part of the list", async (t) => {
    const ranked = await Ranked.open(t, engine.memory);
    await play(ranked, new Random(SEED));
    await ranked.settle();
    const { body } = await ranked.get("addresses?page_size=1000");

    for (const query of ["page=9007199254740991", `page=2&page_size=1&anchor=1-${2n ** 999n}-9007199254740991`]) {
      const { status, body: page } = await ranked.get(`addresses?${query}`);
      assert.deepEqual([status, page.items, page.total_count], [200, [], body.total_count], query);
    }
    const { body: first } = await ranked.get("addresses?page=2&page_size=1&anchor=1-0-0");
    assert.deepEqual(first.items, (body.items as Account[]).slice(0, 1));
  });

  test("a reorg below the block at which balances began to be kept asks for all of them again", async (t) => {
    const ranked = await Ranked.open(t, engine.memory);
    const random = new Random(SEED);
    const snapshot = await ranked.chain.node.ask("evm_snapshot");
    await play(ranked, random);
    await ranked.settle();
    await ranked.chain.node.ask("evm_revert", snapshot);
    await play(ranked, random);

    await ranked.settle();

    await expectRanking(ranked, 5, "after a deep reorg");
    await expectAudited(ranked, "after a deep reorg");
  });
});

/** A refusal of every call of a body. */
async function failed(body: string): Promise<string> {
  const calls = JSON.parse(body) as { id: number } | { id: number }[];
  const refuse = ({ id }: { id: number }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32000, message: "the node is ill" },
  });
  return JSON.stringify(Array.isArray(calls) ? calls.map(refuse) : refuse(calls));
}
