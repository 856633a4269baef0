import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fromHex, toHex } from "../src/chain/encoding/hex.ts";
import { MAX_RAW, MAX_TEXT } from "../src/chain/token/tokenText.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { TokenObserver } from "../src/indexer/observe/observer.ts";
import { RETRIES } from "../src/indexer/observe/schedule.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import type { TokenObservation } from "../src/store/stages/tokens/tables/observation.ts";
import type { TokenLabel } from "../src/store/stages/tokens/tables/tokenLabels.ts";
import { labelsOf } from "../src/store/stages/tokens/tables/tokenLabels.ts";
import { tokenState } from "../src/store/stages/tokens/tables/tokenState.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { plainLedger } from "./support/plainLedger.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import type { EthCallOptions } from "./support/simulatedCalls.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { SimulatedNode } from "./support/simulatedNode.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import type { TokenContract } from "./support/simulatedTokens.ts";
import { contractsOf, HOSTILE, ledgerToken, NAMES, UNANSWERABLE } from "./support/simulatedTokens.ts";
import { TREASURY } from "./support/simulatedTraffic.ts";
import { until } from "./support/waiting.ts";

const SEED = firstSeed();

/** An index with its observer, and a node whose contracts the test chooses. */
class Watching {
  readonly chain: SimulatedChain;
  readonly tokens = new Map<string, TokenContract>();
  readonly calls: EthCallOptions = {};
  readonly errors: string[] = [];
  contracts = contractsOf(this.tokens);
  node!: SimulatedNode;
  store!: Store;
  observer!: TokenObserver;
  /** Milliseconds by which its clock is ahead. */
  skew = 0;
  #indexer!: Indexer;

  constructor(chain: SimulatedChain) {
    this.chain = chain;
  }

  async open(t: TestContext, { fromBlock = 0, timeoutMs = 1000 } = {}): Promise<void> {
    this.node = await startSimulatedNode(this.chain, { contracts: this.contracts, calls: this.calls });
    this.store = await openStore(IN_MEMORY, this.chain.chainId);
    const source = new Upstream({ url: this.node.url, timeoutMs, sockets: 8, retry: ONCE });
    this.observer = new TokenObserver({
      store: this.store,
      source,
      onError: (message) => this.errors.push(message),
      roundMilliseconds: 2 * timeoutMs,
      restMilliseconds: 50,
      now: () => performance.now() + this.skew,
    });
    this.#indexer = new Indexer({ store: this.store, source: simulatedSource(this.chain), stages: STAGES, fromBlock });
    t.after(async () => {
      await source.close();
      await this.node.close();
      await this.store.close();
    });
  }

  async index(): Promise<void> {
    while ((await this.#indexer.step()) !== "idle");
  }

  /** Rounds until nothing is due. */
  async observeAll(): Promise<void> {
    await this.index();
    for (let rounds = 0; (await this.observer.round()) > 0; rounds++) assert.ok(rounds < 100, "it does not end");
  }

  async seen(address: string): Promise<TokenObservation | undefined> {
    const id = await this.store.latest.addresses.id(fromHex(address));
    return id === undefined ? undefined : (await this.store.latest.observations.byToken([id])).get(id);
  }

  async labels(address: string): Promise<TokenLabel[]> {
    const seen = (await this.seen(address))!;
    const [row] = await this.store.database.all("SELECT value FROM token WHERE id = ?", seen.token);
    return labelsOf(tokenState.read(row![0] as Uint8Array), { ledger: seen.ledger, isComplete: true });
  }

  /** How often a token was asked for its name. */
  asked(address: string): number {
    const calls = this.node.requests.flatMap((request) => request.calls);
    const isName = ({ params: [call] }: (typeof calls)[number]) =>
      (call as { to?: string; data?: string })?.to === address && (call as { data: string }).data === "0x06fdde03";
    return calls.filter((call) => call.method === "eth_call" && isName(call)).length;
  }
}

const ONCE = { attempts: 1, invalidAttempts: 1 };

/** A few honest tokens and little else. */
function honestChain(seed: number, blocks = 30): SimulatedChain {
  const chain = new SimulatedChain({ seed, traffic: { honestTokens: 4, transactions: [2, 8], logs: [0, 1] } });
  chain.mine(blocks);
  return chain;
}

async function fromScratch(chain: SimulatedChain): Promise<string> {
  const store = await openStore(IN_MEMORY, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  const print = await store.read(fingerprint);
  await store.close();
  return print;
}

const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

function expectSafe(seen: TokenObservation, label: string): void {
  for (const { text, raw } of [seen.name, seen.symbol]) {
    assert.ok(raw.length <= MAX_RAW, label);
    if (text !== null) assert.ok(text !== "" && Buffer.byteLength(text) <= MAX_TEXT && !UNSEEN.test(text), label);
  }
  assert.ok(seen.decimals === null || (seen.decimals >= 0 && seen.decimals <= 255), label);
  assert.ok(seen.totalSupply === null || seen.totalSupply < 2n ** 256n, label);
}

function expectHonest(seen: TokenObservation | undefined, supply: bigint, label: string): void {
  assert.equal(seen?.name.text, NAMES.name, label);
  assert.equal(seen?.symbol.text, NAMES.symbol, label);
  assert.equal(seen?.decimals, NAMES.decimals, label);
  assert.equal(seen?.totalSupply, BigInt.asUintN(256, supply), label);
}

test(`100 hostile tokens stop nothing, spoil no other and are asked a bounded number of times (seed ${SEED})`, async (t) => {
  const chain = new SimulatedChain({ seed: SEED, traffic: { addresses: 420, logs: [4, 12], transactions: [4, 8] } });
  chain.mine(50);
  const watching = new Watching(chain);
  await watching.open(t);
  const random = new Random(SEED).fork("contracts");
  const kinds = [...Object.entries(HOSTILE), ...Object.entries(UNANSWERABLE)];
  const addresses = random.shuffle([...plainLedger(chain).keys()].sort());
  const hostile = new Map(addresses.slice(0, 100).map((address, at) => [address, kinds[at % kinds.length]![0]]));
  const honest = addresses.slice(100);
  assert.ok(hostile.size === 100 && honest.length >= 20, `${addresses.length} tokens`);
  const contracts = new Map(kinds);
  for (const [address, kind] of hostile) watching.tokens.set(address, contracts.get(kind)!(random.fork(address)));
  for (const address of honest) watching.tokens.set(address, ledgerToken(chain, address));

  await watching.observeAll();
  const supplies = plainLedger(chain);
  for (const address of honest) {
    expectHonest(await watching.seen(address), supplies.get(address)!.supply, address);
  }
  const total = RETRIES.reduce((sum, distance) => sum + distance);
  for (let mined = 0; mined < total + 40; mined += 8) {
    chain.mine(8);
    await watching.observeAll();
  }

  assert.deepEqual(watching.errors, []);
  assert.equal((await watching.store.latest.blocks.tip())!.number, chain.head.number);
  assert.equal(await watching.store.read(fingerprint), await fromScratch(chain));
  for (const address of honest) assert.equal(watching.asked(address), 1, address);
  for (const [address, kind] of hostile) {
    const seen = await watching.seen(address);
    expectSafe(seen!, kind);
    const isUnanswerable = Object.hasOwn(UNANSWERABLE, kind);
    assert.equal(watching.asked(address), isUnanswerable ? RETRIES.length + 1 : 1, kind);
    assert.equal(seen!.failures, isUnanswerable ? RETRIES.length + 1 : 0, kind);
  }
});

test("what a hostile token is shown as", async (t) => {
  const chain = honestChain(3);
  const watching = new Watching(chain);
  await watching.open(t);
  const [controls, direction, invisible, long] = chain.honestTokens as [string, string, string, string];
  const random = new Random(3);
  watching.tokens.set(controls, HOSTILE["has NUL and other controls"]!(random));
  watching.tokens.set(direction, HOSTILE["steers direction"]!(random));
  watching.tokens.set(invisible, HOSTILE["is invisible"]!(random));
  watching.tokens.set(long, HOSTILE["has names of 100 kB"]!(random));

  await watching.observeAll();

  const shown = async (address: string) => (await watching.seen(address))!.name.text;
  assert.equal(await shown(controls), "[31mred");
  assert.equal(await shown(direction), "gnp.exe");
  assert.equal(await shown(invisible), null);
  assert.equal(await shown(long), "long ".repeat(52).slice(0, 256));
});

describe("balances are compared with the ledger", () => {
  async function labelled(t: TestContext, contract: (chain: SimulatedChain, token: string) => TokenContract) {
    const chain = honestChain(11);
    const watching = new Watching(chain);
    await watching.open(t);
    const [token, other] = chain.honestTokens as [string, string];
    watching.tokens.set(token, contract(chain, token));
    watching.tokens.set(other, ledgerToken(chain, other));
    await watching.observeAll();
    assert.equal((await watching.seen(other))!.ledger, "agrees");
    assert.deepEqual(await watching.labels(other), []);
    return { watching, token, labels: await watching.labels(token) };
  }

  test("an honest token has no label", async (t) => {
    const { labels } = await labelled(t, ledgerToken);
    assert.deepEqual(labels, []);
  });

  for (const [what, percent] of [
    ["grow", 110n],
    ["shrink", 90n],
  ] as const) {
    test(`one whose balances ${what} by themselves is rebasing`, async (t) => {
      const { labels } = await labelled(t, (chain, token) =>
        ledgerToken(chain, token, (amount) => (amount * percent) / 100n),
      );
      assert.deepEqual(labels, ["ledger_differs", "rebasing"]);
    });
  }

  test("one that keeps a part of what is sent takes a fee", async (t) => {
    const { labels, watching, token } = await labelled(t, feeToken);

    assert.deepEqual(labels, ["ledger_differs", "fee_on_transfer"]);
    const treasury = await watching.store.latest.addresses.id(TREASURY);
    assert.ok(!(await watching.seen(token))!.differing.includes(treasury!), "who sends is not charged");
  });

  test("a token that moves balances without logs is labelled as differing", async (t) => {
    const { labels } = await labelled(t, (chain, token) =>
      ledgerToken(chain, token, (amount, holder) =>
        holder === undefined ? amount : holder === toHex(TREASURY) ? amount + 100n : amount - 1n,
      ),
    );
    assert.deepEqual(labels, ["ledger_differs"]);
  });

  test("one whose balanceOf fails has no label", async (t) => {
    const { labels, watching, token } = await labelled(t, (chain, address) => {
      const honest = ledgerToken(chain, address);
      return (method, holder) => (method === "balanceOf" ? "0x" : honest(method, holder));
    });
    assert.deepEqual(labels, []);
    assert.equal((await watching.seen(token))!.ledger, "unknown");
  });
});

/** Burns five percent of every transfer without a log. */
function feeToken(chain: SimulatedChain, token: string): TokenContract {
  const sent = (holder: string | undefined) => {
    let sum = 0n;
    for (let number = 0; number < chain.length; number++) {
      const logs = chain.wireReceipts(number)!.flatMap((receipt) => receipt.logs as unknown as PlainLog[]);
      for (const { address, topics, data } of logs) {
        if (address !== token || topics[1] === `0x${"0".repeat(64)}`) continue;
        if (holder === undefined || topics[2] === `0x${"0".repeat(24)}${holder.slice(2)}`) sum += BigInt(data);
      }
    }
    return sum;
  };
  return ledgerToken(chain, token, (amount, holder) => amount - sent(holder) / 20n);
}

interface PlainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

test("an index that began later compares no balances", async (t) => {
  const chain = honestChain(5);
  const watching = new Watching(chain);
  await watching.open(t, { fromBlock: 10, timeoutMs: 5000 });
  for (const token of chain.honestTokens) watching.tokens.set(token, ledgerToken(chain, token));

  await watching.observeAll();

  const seen = (await watching.seen(chain.honestTokens[0]!))!;
  assert.deepEqual([seen.name.text, seen.ledger], [NAMES.name, "unknown"]);
});

test("a reorganisation takes back what was observed above it, and it is observed again", async (t) => {
  const chain = honestChain(7);
  const watching = new Watching(chain);
  await watching.open(t);
  for (const token of chain.honestTokens)
    watching.tokens.set(
      token,
      ledgerToken(chain, token, (amount) => amount * 2n),
    );
  await watching.observeAll();
  const [token] = chain.honestTokens as [string];
  const before = (await watching.seen(token))!;
  assert.deepEqual(await watching.labels(token), ["ledger_differs", "rebasing"]);

  chain.fork(3, 5);
  for (const address of chain.honestTokens) watching.tokens.set(address, ledgerToken(chain, address));
  await watching.index();
  const between = await watching.seen(token);
  await watching.observeAll();

  const after = (await watching.seen(token))!;
  assert.equal(between, undefined);
  assert.notDeepEqual(after.hash, before.hash);
  assert.equal(toHex(after.hash), chain.head.hash);
  assert.deepEqual(await watching.labels(token), []);
  assert.equal(await watching.store.read(fingerprint), await fromScratch(chain));
});

test("observations of a chain that is abandoned meanwhile are dropped", async (t) => {
  const chain = honestChain(8);
  const watching = new Watching(chain);
  await watching.open(t);
  await watching.index();
  const { promise, resolve } = Promise.withResolvers<void>();
  const [token] = chain.honestTokens as [string];
  watching.tokens.set(token, async () => {
    await promise;
    return "0x";
  });

  const round = watching.observer.round();
  await until("the token is asked", () => watching.asked(token) > 0);
  chain.fork(2, 3);
  await watching.index();
  resolve();
  await round;

  assert.equal((await watching.store.database.all("SELECT count(*) FROM token_observation"))[0]![0], 0);
  await watching.observeAll();
  assert.equal(toHex((await watching.seen(token))!.hash), chain.head.hash);
});

test("a node that refuses hashes is asked by number", async (t) => {
  const chain = honestChain(9);
  const watching = new Watching(chain);
  watching.calls.refusesHashes = true;
  await watching.open(t);
  for (const token of chain.honestTokens) watching.tokens.set(token, ledgerToken(chain, token));

  await watching.observeAll();

  const ledger = plainLedger(chain);
  for (const token of chain.honestTokens) {
    expectHonest(await watching.seen(token), ledger.get(token)!.supply, token);
    assert.equal((await watching.seen(token))!.ledger, "agrees");
  }
});

test("a node without the state is reported once, counts against no token, and is asked again", async (t) => {
  const chain = honestChain(10);
  const watching = new Watching(chain);
  watching.calls.keptStates = 0;
  await watching.open(t);
  for (const token of chain.honestTokens) watching.tokens.set(token, ledgerToken(chain, token));
  await watching.index();

  const first = await watching.observer.round();
  const resting = await watching.observer.round();
  watching.skew += 50;
  const second = await watching.observer.round();
  const asked = watching.node.requests.filter(({ calls }) => calls.some(isControl)).length;
  delete watching.calls.keptStates;
  watching.skew += 100;
  await watching.observeAll();

  assert.deepEqual([first, resting, second], [0, 0, 0]);
  assert.equal(asked, 2, "nothing is asked while it rests");
  assert.equal(watching.errors.length, 1);
  assert.match(watching.errors[0]!, /missing trie node/);
  for (const token of chain.honestTokens) {
    assert.equal((await watching.seen(token))!.failures, 0);
    assert.equal(watching.asked(token), 1);
  }
});

function isControl({ method, params }: { method: string; params: readonly unknown[] }): boolean {
  return method === "eth_call" && (params[0] as { data: string }).data === "0x";
}

test("a token that hangs the node is identified, and the others are observed", async (t) => {
  const chain = honestChain(12);
  const watching = new Watching(chain);
  const [bad, ...good] = chain.honestTokens as [string, string, string, string];
  let stuckUntil = 0;
  const { contracts } = watching;
  watching.contracts = async (to, data, block) => {
    if (to === bad) stuckUntil = performance.now() + 1000;
    while (performance.now() < stuckUntil) await delay(20);
    return contracts(to, data, block);
  };
  await watching.open(t, { timeoutMs: 300 });
  for (const token of good) watching.tokens.set(token, ledgerToken(chain, token));
  await watching.index();

  await until("all are observed", async () => {
    await watching.observer.round();
    const seen = await Promise.all(chain.honestTokens.map((token) => watching.seen(token)));
    return seen.every((one) => one !== undefined);
  });

  const failures = await Promise.all(chain.honestTokens.map(async (token) => (await watching.seen(token))!.failures));
  assert.deepEqual(failures, [1, 0, 0, 0]);
  assert.ok(watching.asked(bad) <= 4, `asked ${watching.asked(bad)} times`);
  assert.equal(watching.errors.length, 1);
});

test("the program observes tokens at the head, and a contract that hangs delays no block", async (t) => {
  const chain = honestChain(13);
  const tokens = new Map<string, TokenContract>();
  const [hanging, ...good] = chain.honestTokens as [string, string, string, string];
  tokens.set(hanging, () => new Promise(() => {}));
  for (const token of good) tokens.set(token, ledgerToken(chain, token));
  const node = await startSimulatedNode(chain, { contracts: contractsOf(tokens) });
  t.after(() => node.close());
  const data = temporaryDirectory(t);
  const args = ["start", "--rpc", node.url, "--data", data, "--port", "0", "--poll", "50", "--tokens"];
  const program = runProgram(t, args);
  await program.url();
  const store = await openStoreReadOnly(data);
  t.after(() => store.close());
  const seen = async (address: string) => {
    const id = await store.latest.addresses.id(fromHex(address));
    return id === undefined ? undefined : (await store.latest.observations.byToken([id])).get(id);
  };

  await until("the tokens are observed", async () => (await seen(good[0]!))?.name.text === NAMES.name);
  for (let i = 0; i < 5; i++) {
    chain.mine(1);
    const isIndexed = async () => (await store.latest.blocks.tip())?.number === chain.head.number;
    await until(`block ${chain.head.number} is indexed`, isIndexed, 6);
  }
  await until("the hanging one is given up for now", async () => ((await seen(hanging))?.failures ?? 0) > 0);

  const { code, stderr, stdout } = await program.stop();
  assert.deepEqual([code, stderr], [143, ""]);
  assert.doesNotMatch(stdout, /indexing is (waiting|stopped)/);
});
