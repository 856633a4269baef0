import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { SimulatedChain } from "../../../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../../../test/support/simulatedSource.ts";
import { Indexer } from "../../../../indexer/indexer.ts";
import { STAGES } from "../../../../indexer/stages.ts";
import { openStore } from "../../../openStore.ts";
import type { Store } from "../../../store.ts";
import type { DueTokens } from "../read/dueTokens.ts";
import type { TokenObservation } from "./observation.ts";
import { MAX_COINS } from "./wrappedCoins.ts";

describeEngines((tested) => {
  async function open(t: TestContext, blocks = 30, wrappers = 0) {
    const chain = new SimulatedChain({ seed: 17, traffic: { logs: [0, 8], honestTokens: 3, wrappers } });
    chain.mine(blocks);
    const store = await openStore(tested.memory, chain.chainId);
    t.after(() => store.close());
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
    const index = async () => {
      while ((await indexer.step()) !== "idle");
    };
    await index();
    return { chain, store, index };
  }

  const EVERY = 10_000;

  async function due(store: Store, limit = EVERY): Promise<DueTokens> {
    return (await store.read((session) => session.observations.due(limit)))!;
  }

  function observationOf(token: number, { number, hash }: DueTokens["at"], again: number): TokenObservation {
    return {
      token,
      block: number,
      hash,
      name: { text: "Straße 日本", raw: Uint8Array.of(0, 255, 7) },
      symbol: { text: null, raw: new Uint8Array(0) },
      decimals: null,
      totalSupply: 2n ** 256n - 1n,
      ledgerSupply: -(2n ** 300n),
      ledger: "fee_on_transfer",
      differing: [1, 300, 70_000],
      failures: 3,
      again,
    };
  }

  async function transferCounts(store: Store): Promise<Map<unknown, unknown>> {
    const rows = await store.database.all("SELECT owner, count FROM token_transfer_tail");
    return new Map(rows.map(([token, count]) => [token, count]));
  }

  const ascending = (a: number, b: number) => a - b;

  test("every token with a transfer is due, and reads back what is recorded of it", async (t) => {
    const { store } = await open(t);
    const [count] = (await store.database.all("SELECT count(*) FROM token"))[0]!;
    const { at, tokens } = await due(store);
    assert.ok(tokens.length > 3 && tokens.length === count);
    assert.equal((await due(store, 2)).tokens.length, 2);
    assert.equal(await store.latest.observations.dueCount(at.number), count);
    const [first, second] = tokens.map(({ token }) => token) as [number, number];
    const seen = [
      observationOf(first, at, 99),
      { ...observationOf(second, at, at.number + 1), totalSupply: 0n, ledgerSupply: null },
    ];

    await store.observations.record(seen, new Set());

    const found = await store.latest.observations.byToken([first, second, 123_456]);
    assert.deepEqual(
      [...found.values()].sort((a, b) => a.token - b.token),
      seen,
    );
    assert.equal((await due(store)).tokens.length, tokens.length - 2);
  });

  test("a token is due again at its block: at once if it is retried, else after a transfer", async (t) => {
    const { chain, store, index } = await open(t);
    const { at, tokens } = await due(store);
    const ids = tokens.map(({ token }) => token);
    const again = at.number + 20;
    const before = await transferCounts(store);

    await store.observations.record(
      ids.map((token) => observationOf(token, at, again)),
      new Set([ids[0]!]),
    );
    chain.mine(19);
    await index();
    const early = (await due(store)).tokens.filter(({ token }) => ids.includes(token));
    chain.mine(1);
    await index();
    const later = (await due(store)).tokens.filter(({ token }) => ids.includes(token)).map(({ token }) => token);

    assert.deepEqual(early, []);
    const counts = await transferCounts(store);
    const moved = ids.filter((token) => counts.get(token) !== before.get(token));
    assert.deepEqual(later.sort(ascending), [...new Set([ids[0]!, ...moved])].sort(ascending));
    assert.ok(moved.length > 1 && moved.length < ids.length, `${moved.length} of ${ids.length} had transfers`);
  });

  test("what was seen at a block that is no longer ours is not kept", async (t) => {
    const { store } = await open(t);
    const { at, tokens } = await due(store);
    const [{ token }] = tokens as [DueTokens["tokens"][number]];
    const other = new Uint8Array(32).fill(1);

    await store.observations.record([observationOf(token, { number: at.number, hash: other }, 0)], new Set());
    await store.observations.record([observationOf(token, { number: at.number + 1, hash: at.hash }, 0)], new Set());

    assert.equal((await store.latest.observations.byToken([token])).size, 0);
    assert.equal((await due(store)).tokens.length, tokens.length);
  });

  test("an unwind forgets what was seen above it, keeps the rest, and leaves no token that is gone", async (t) => {
    const { chain, store, index } = await open(t, 20);
    const early = await due(store);
    const kept = early.tokens.slice(0, 2).map(({ token }) => observationOf(token, early.at, 1e6));
    await store.observations.record(kept, new Set());
    chain.mine(15);
    await index();
    const late = await due(store);
    const seen = late.tokens.map(({ token }) => observationOf(token, late.at, 1e6));
    await store.observations.record(seen, new Set());

    await store.unwind(early.at.number);

    const ids = [...kept, ...seen].map(({ token }) => token);
    assert.deepEqual([...(await store.latest.observations.byToken(ids)).values()], kept);
    assert.deepEqual(
      (await due(store)).tokens.map(({ token }) => token).sort(ascending),
      early.tokens.slice(2).map(({ token }) => token),
    );
    const gone = "SELECT count(*) FROM token_due WHERE token NOT IN (SELECT id FROM token)";
    assert.equal((await store.database.all(gone))[0]![0], 0);
  });

  test("clearing the store forgets it all", async (t) => {
    const { store } = await open(t);
    const { at, tokens } = await due(store);
    await store.observations.record([observationOf(tokens[0]!.token, at, 0)], new Set());

    await store.clear();

    assert.equal(await store.read((session) => session.observations.due(EVERY)), undefined);
    assert.equal((await store.latest.observations.byToken([tokens[0]!.token])).size, 0);
  });

  test("a sample has the largest holders, the smallest, some between, and those that differed before", async (t) => {
    const { chain, store } = await open(t, 200);
    const token = (await store.latest.addresses.id(Buffer.from(chain.honestTokens[0]!.slice(2), "hex")))!;
    const sampled = async () => (await due(store)).tokens.find((one) => one.token === token)!.holdings;
    const ranked = await store.database.all("SELECT address FROM holder WHERE token = ? ORDER BY amount DESC", token);
    const places = new Map(ranked.map(([address], place) => [address as number, place]));
    assert.ok(ranked.length > 12);

    const holdings = await sampled();
    const taken = holdings.map(({ holder }) => places.get(holder)!).sort(ascending);
    assert.deepEqual(taken.slice(0, 3), [0, 1, 2]);
    assert.equal(taken.at(-1), ranked.length - 1);
    assert.ok(taken.length > 4 && taken.length <= 8 && new Set(taken).size === taken.length, taken.join());
    assert.deepEqual(await sampled(), holdings);

    const { at } = await due(store);
    const left = ranked.map(([address]) => address as number).find((address) => !taken.includes(places.get(address)!))!;
    const seen = { ...observationOf(token, at, at.number), differing: [left] };
    await store.observations.record([seen], new Set([token]));
    const again = (await sampled()).find(({ holder }) => holder === left);
    assert.ok(again !== undefined && again.amount > 0n && again.address.length === 20);
  });

  test(`${MAX_COINS} wrapped coins are kept, those found first; others are asked again, and a reorg forgets what it takes back`, async (t) => {
    const { chain, store, index } = await open(t, 40, 200);
    const coins = async () =>
      (await store.database.all("SELECT token FROM wrapped_coin ORDER BY 1")).map(([token]) => token);
    const { at, tokens } = await due(store);
    const wrappers = tokens.filter(({ isWrapper }) => isWrapper).map(({ token }) => token);
    assert.ok(wrappers.length > MAX_COINS + 5, `${wrappers.length} contracts`);
    const [first, others] = [wrappers.slice(0, MAX_COINS), wrappers.slice(MAX_COINS)];

    for (const some of [first, others, first])
      await store.observations.recordWrappers(
        some.map((token) => observationOf(token, at, at.number + 7)),
        new Set(some),
      );

    assert.deepEqual(await coins(), first.toSorted(ascending));
    assert.deepEqual([...(await store.latest.tokens.byId(wrappers)).keys()].sort(ascending), first.toSorted(ascending));
    const later = await store.database.all("SELECT token FROM token_due WHERE block = ? ORDER BY 1", at.number + 7);
    assert.deepEqual(later.flat(), others.toSorted(ascending));
    const [gone] = first;
    await store.observations.recordWrappers([observationOf(gone!, at, at.number + 9)], new Set());
    assert.deepEqual(await coins(), first.filter((token) => token !== gone).toSorted(ascending));

    chain.fork(3, 4);
    await index();

    assert.deepEqual(await coins(), []);
    assert.deepEqual(await store.database.all("SELECT count(*) FROM token_name"), [[0]]);
    const asked = (await due(store)).tokens.filter(({ isWrapper }) => isWrapper).map(({ token }) => token);
    const rows = await store.database.all("SELECT id FROM wrapper WHERE substr(value, 1, 1) = ?", Buffer.alloc(1));
    const left = new Set(rows.map(([id]) => id as number));
    assert.ok(asked.every((token) => left.has(token)));
    const forgotten = first.filter((token) => left.has(token) && token !== gone);
    assert.deepEqual(
      forgotten.filter((token) => !asked.includes(token)),
      [],
    );
  });
});
