import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyInstance } from "fastify";
import { ActionOracle } from "./support/actionOracle.ts";
import { serveChain } from "./support/api.ts";
import { demonstrated } from "./support/demonstrated.ts";
import type { Act } from "./support/expectHistories.ts";
import { expectHistories } from "./support/expectHistories.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { readPlainChain } from "./support/plainChain.ts";
import { askedState } from "./support/plainState.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { simulatedPlainState } from "./support/simulatedState.ts";
import { until } from "./support/waiting.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1);

/** The past in which there is everything, and how many of its blocks. */
const DEMONSTRATION = { seed: "2", blocks: 90 };

const actOn =
  (app: FastifyInstance): Act =>
  async (action, parameters) => {
    const pairs = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
    const response = await app.inject(
      `/api?${new URLSearchParams([["module", "account"], ["action", action], ...pairs])}`,
    );
    assert.equal(response.statusCode, 200, response.body);
    return response.json<{ result: unknown }>().result;
  };

test(`4.2 histories and balances of every address of a demonstration are what its node says, also after a reorg (seed ${SEED})`, async (t) => {
  const { node, demonstration } = await demonstrated(DEMONSTRATION);
  await demonstration.buildPast();
  const followed = await FollowedChain.open(t, { chain: node });
  const ask = <T>(method: string, ...params: unknown[]) => node.ask<T>(method, ...params);
  const act = actOn(followed.app);
  const random = new Random(SEED);
  const expectAll = async (label: string) => {
    await followed.settle();
    const oracle = await ActionOracle.read(await readPlainChain(ask), askedState(ask));
    for (const token of oracle.tokens.keys()) {
      const observed = async () => (await followed.get(`/api/v2/tokens/${token}`)).body.observed_block_number;
      await until(`${token} was observed`, async () => (await observed()) !== null);
    }
    return expectHistories({ act, oracle, random, label });
  };
  const snapshot = await node.ask("evm_snapshot");
  for (let block = 0; block < 5; block++) await demonstration.live();
  followed.start();

  const counts = await expectAll("at first");
  await node.ask("evm_revert", snapshot);
  await node.send({ value: 5n });
  for (let block = 0; block < 3; block++) await demonstration.live();
  await expectAll("after a reorg");

  t.diagnostic(JSON.stringify(counts));
  for (const [action, count] of Object.entries(counts)) assert.ok(count > 0, action);
});

test(`4.2 histories and balances of random chains are what the node says, across reorgs (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const traffic = {
      addresses: random.pick([6, 12]),
      fresh: 0.05,
      transactions: [0, 5] as const,
      byzantium: random.pick([0, 5]),
      wrappers: random.pick([0, 2]),
      honestTokens: random.pick([0, 1]),
      long: random.pick([0, 0.02]),
    };
    const served = await serveChain({ seed, blocks: 14, tokens: true, traffic });
    const act = actOn(served.app);
    for (const depth of [0, random.between(1, 3), random.between(8, 13)]) {
      const length = depth + random.int(4);
      served.chain.fork(depth, length);
      await served.index();
      await served.get("/status");
      const oracle = await ActionOracle.read(served.chain, simulatedPlainState(served.chain));
      const label = `seed ${seed} after ${depth} blocks were replaced by ${length}`;
      await expectHistories({ act, oracle, random, label });
    }
    await served.close();
  }
});
