import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { quantity } from "../../src/chain/encoding/hex.ts";
import { ChainPlayer } from "../support/chainPlayer.ts";
import { DevelopmentNode } from "../support/developmentNode.ts";
import type { FollowedOptions } from "../support/followedChain.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { eventLoopTurns, until } from "../support/waiting.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1);
const SEED = firstSeed();

async function open(t: TestContext, seed: number, options: FollowedOptions = {}) {
  const random = new Random(seed);
  const followed = await FollowedChain.open(t, options);
  return { random, followed, player: ChainPlayer.of(followed.chain, random) };
}

/** Reads without end while the chain is played with; nothing that comes and goes may break an answer. */
async function readMeanwhile(followed: FollowedChain, player: ChainPlayer, random: Random, signal: AbortSignal) {
  while (!signal.aborted) {
    const address = random.pick(player.addresses);
    const urls = [
      `/api/v2/blocks/${random.pick([...player.blocks])}`,
      `/api/v2/blocks/${random.int(40)}`,
      `/api/v2/transactions/${random.pick([...player.transactions, ...player.blocks])}`,
      `/api/v2/addresses/${address}/transactions`,
      `/api/v2/addresses/${address}/token-balances`,
      `/api/v2/tokens/${address}`,
      `/api/v2/tokens/${address}/holders`,
      "/status",
    ];
    const url = random.pick(urls);
    const { status, body } = await followed.get(url);
    assert.ok(status === 200 || status === 404, `${url}: ${status} ${JSON.stringify(body)}`);
    await delay(2);
  }
}

test(`${CASES} chains that are played with: the index is what one made from scratch is (seed ${SEED})`, async (t) => {
  let phantoms = 0;
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const { random, followed, player } = await open(t, seed);
    followed.start();
    for (let round = 0; round < 4; round++) {
      const playing = new AbortController();
      const reading = readMeanwhile(followed, player, new Random(seed), playing.signal);
      for (let acts = random.between(3, 30); acts > 0; acts--) {
        await player.act();
        if (random.chance(0.3)) await eventLoopTurns(random.between(0, 8));
      }
      await followed.settle();
      playing.abort();
      await reading;
      phantoms += await followed.expectFollowed(player, `seed ${seed}, round ${round}`);
    }
    await followed.close();
  }
  t.diagnostic(`${phantoms} looks for blocks that were taken back`);
  assert.ok(phantoms > CASES);
});

/** A chain with tokens on it, all of it indexed, and a moment in the middle to go back to. */
async function openIndexed(t: TestContext, blocks: number, options: FollowedOptions = {}) {
  const opened = await open(t, blocks, options);
  const { followed, player } = opened;
  for (let i = 0; i < 3; i++) await player.deploy();
  const id = await player.ask<Hex>("evm_snapshot");
  for (let i = 0; i < blocks; i++) await player.use();
  followed.start();
  await followed.settle();
  return { ...opened, id };
}

const AFTER = {
  "to the same height with other blocks": 6,
  "and then fewer blocks": 2,
  "and then more blocks": 9,
  "and nothing after": 0,
};

for (const [name, blocks] of Object.entries(AFTER)) {
  test(`a revert ${name}`, async (t) => {
    const { followed, player, id } = await openIndexed(t, 6);

    await player.ask("evm_revert", id);
    for (let i = 0; i < blocks; i++) await player.use();
    await followed.settle();

    assert.ok((await followed.expectFollowed(player, name)) >= 6);
  });

  test(`a reset ${name}`, async (t) => {
    const { followed, player } = await openIndexed(t, 6);

    await player.reset();
    for (let i = 0; i < blocks; i++) await player.send();
    await followed.settle();

    assert.ok((await followed.expectFollowed(player, name)) >= 9);
  });
}

for (const after of [0, 330]) {
  test(`a revert of more blocks than can be unwound, ${after} blocks after it: the index starts over`, async (t) => {
    const { followed, player } = await open(t, 7);
    await player.send();
    const id = await player.ask<Hex>("evm_snapshot");
    await player.ask("hardhat_mine", quantity(300));
    await player.deploy();
    followed.start();
    await followed.settle();

    await player.ask("evm_revert", id);
    // Else the new blocks might be those that were taken back.
    await player.ask("evm_increaseTime", 1000);
    if (after > 0) await player.ask("hardhat_mine", quantity(after));
    await player.send();
    await followed.settle();

    assert.ok((await followed.expectFollowed(player, "deep")) > 290);
    assert.deepEqual(followed.states, [{ state: "running" }]);
  });
}

test("a chain that began anew, with another first block, is followed", async (t) => {
  const { followed, player } = await openIndexed(t, 3);
  const before = followed.chain;
  t.after(() => before.close());
  const other = await DevelopmentNode.open({ genesisTime: 1_700_000_001 });
  const second = ChainPlayer.of(other, new Random(2));
  await second.send();

  followed.connect(other);
  await followed.settle();

  for (const hash of second.blocks) player.blocks.add(hash);
  for (const hash of second.transactions) player.transactions.add(hash);
  assert.ok((await followed.expectFollowed(player, "another chain")) >= 7);
});

/** Requests of an index that catches up: the head, the first block, blocks, their receipts. */
const MOMENTS = 8;

test("a revert before any of the answers that an index asks for while it catches up", async (t) => {
  for (let moment = 0; moment < MOMENTS; moment++) {
    let strike: (() => Promise<void>) | undefined;
    let asked = -1;
    let isDone = false;
    const { followed, player, id } = await openIndexed(t, 3, {
      around: (handle) => async (body, isTrusted) => {
        if (strike !== undefined && ++asked === moment) await strike();
        return handle(body, isTrusted);
      },
    });
    strike = async () => {
      await player.ask("evm_revert", id);
      for (let i = 0; i < moment; i++) await player.send();
      isDone = true;
    };

    for (let i = 0; i < 2; i++) await player.use();
    await until("the index has asked so much", () => isDone);
    await followed.settle();

    assert.ok((await followed.expectFollowed(player, `moment ${moment}`)) >= 3);
    await followed.close();
  }
});
