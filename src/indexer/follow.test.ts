import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import { eventLoopTurns, until } from "../../test/support/waiting.ts";
import type { ErrorCode } from "../chain/error.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import type { IndexerState } from "./follow.ts";
import { follow } from "./follow.ts";
import { Indexer } from "./indexer.ts";

/** A store following a chain whose source fails while `failure` is set. */
class Following {
  readonly chain = new SimulatedChain({ seed: 4, traffic: { transactions: [0, 2] } });
  readonly states: IndexerState[] = [];
  failure: ErrorCode | undefined;
  readonly idle: (number | undefined)[] = [];
  readonly pauses: number[] = [];
  pause: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
  rounds = 0;
  store!: Store;
  notify = () => {};
  readonly #stop = new AbortController();
  #ended!: Promise<void>;

  async start(t: TestContext, pollMilliseconds = 1, fromBlock = 0): Promise<void> {
    this.chain.mine(20);
    this.store = await openStore(IN_MEMORY, this.chain.chainId);
    const source = this.#source();
    this.#ended = follow({
      store: this.store,
      indexer: new Indexer({ store: this.store, source, fromBlock }),
      signal: this.#stop.signal,
      pollMilliseconds,
      watch: (listener) => {
        this.notify = listener;
      },
      onState: (state) => this.states.push(state),
      ...(this.pause && { pause: this.pause }),
      onIdle: async () => this.idle.push((await this.store.latest.blocks.tip())?.number),
    });
    t.after(async () => {
      await this.stop();
      await this.store.close();
    });
  }

  #source(): Source {
    const source = simulatedSource(this.chain);
    const head = async () => {
      this.rounds++;
      if (this.failure !== undefined) throw new ChainError(this.failure, `simulated ${this.failure}`);
      return source.head();
    };
    return { ...source, head };
  }

  async state(): Promise<IndexerState | undefined> {
    const text = await this.store.latest.meta("indexer");
    return text === undefined ? undefined : (JSON.parse(text) as IndexerState);
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    await until("the follower gets there", isSo);
  }

  async untilState(state: IndexerState["state"]): Promise<void> {
    await this.until(async () => (await this.state())?.state === state);
  }

  async untilHead(): Promise<void> {
    await this.until(async () => (await this.store.latest.blocks.tip())?.number === this.chain.head.number);
  }

  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }
}

test("a chain is followed as it grows and forks, and the store says that it is", async (t) => {
  const following = new Following();
  await following.start(t);

  await following.untilHead();
  following.chain.mine(3);
  await following.untilHead();
  following.chain.fork(5, 7);
  await following.untilHead();

  assert.deepEqual(await following.state(), { state: "running" });
  assert.deepEqual(following.states, [{ state: "running" }]);
});

test("an index that begins again is still that of a running indexer", async (t) => {
  const following = new Following();
  await following.start(t, 1, 19);
  await following.untilHead();

  following.chain.fork(4, 6);
  await following.untilHead();

  assert.deepEqual(await following.state(), { state: "running" });
});

for (const [code, state] of [
  ["upstream_unavailable", "waiting"],
  ["upstream_invalid", "waiting"],
  ["store_full", "waiting"],
  ["deep_reorg", "stopped"],
  ["chain_reset", "stopped"],
  ["wrong_chain", "stopped"],
] as const) {
  test(`while ${code} lasts the store says ${state}, and running once it has passed`, async (t) => {
    const following = new Following();
    await following.start(t);
    await following.untilHead();

    following.failure = code;
    await following.untilState(state);
    assert.deepEqual(await following.state(), { state, code, message: `simulated ${code}` });
    following.failure = undefined;
    following.chain.mine(2);
    await following.untilState("running");
    await following.untilHead();

    assert.deepEqual(
      following.states.map((shown) => shown.state),
      ["running", state, "running"],
    );
  });
}

test("a failure that lasts is asked about less and less often", async (t) => {
  const following = new Following();
  following.failure = "upstream_unavailable";
  following.pause = async (milliseconds, signal) => {
    following.pauses.push(milliseconds);
    if (following.pauses.length >= 14)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  await following.start(t, 10);
  await following.until(async () => following.pauses.length === 14);

  assert.deepEqual(following.pauses.slice(0, 5), [10, 20, 40, 80, 160]);
  assert.deepEqual(following.pauses.slice(-2), [30_000, 30_000]);
  assert.deepEqual(
    following.states.map(({ state }) => state),
    ["running", "waiting"],
  );
});

test("idle time is that at the head, and none while the node fails", async (t) => {
  const following = new Following();
  await following.start(t);
  await following.until(async () => following.idle.length > 2);
  following.failure = "upstream_unavailable";
  await following.untilState("waiting");
  const before = following.idle.length;
  await eventLoopTurns(100);

  assert.equal(following.idle.length, before);
  assert.deepEqual(new Set(following.idle), new Set([following.chain.head.number]));
});

test("a stop ends the loop at once, in the middle of a wait too", { timeout: 60_000 }, async (t) => {
  const following = new Following();
  await following.start(t, 3_600_000);
  await following.untilHead();

  await following.stop();
});

test("news of a block ends the wait for it, also when it comes in the middle of a step", async (t) => {
  const following = new Following();
  await following.start(t, 3_600_000);
  const { chain } = following;
  await following.until(async () => following.idle.length === 1);

  for (let block = 1; block <= 3; block++) {
    chain.mine(1);
    following.notify();
    await following.until(async () => (await following.store.latest.blocks.tip())!.number === 20 + block);
    following.notify();
  }

  await following.until(async () => following.idle.at(-1) === 23);
});
