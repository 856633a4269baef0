import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "./support/gatewayChain.ts";
import { GatewayChain } from "./support/gatewayChain.ts";
import { Random } from "./support/random.ts";
import { RandomCalls } from "./support/randomCalls.ts";
import { firstSeed } from "./support/seed.ts";
import { until } from "./support/waiting.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1000);
const SEED = firstSeed();

test(`random calls are answered by the gateway as by the node, ${CASES} of them, seed ${SEED}`, async (t) => {
  const chain = await GatewayChain.open(t);
  const random = new Random(SEED);
  const calls = new RandomCalls(chain.node, random);
  await calls.begin();
  await chain.index();
  const asked = new Set<string>();

  for (let count = 0; count < CASES; count++) {
    const [method, params] = calls.next();
    asked.add(method);
    const [direct, answered] = [await chain.askNode(method, params), await chain.ask(method, params)];
    assert.deepEqual(answered, direct, `${method} ${JSON.stringify(params)}`);
  }
  if (CASES >= 400) assert.ok(asked.size >= 20, `${asked.size} methods`);
});

test(`so they are while blocks come and are replaced, seed ${SEED}`, async (t) => {
  const chain = await GatewayChain.open(t);
  const random = new Random(SEED);
  const calls = new RandomCalls(chain.node, random);
  await calls.begin();
  await chain.index();
  let isDone = false;
  const changes = async () => {
    for (let round = 0; !isDone && round < 150; round++) {
      await (random.chance(0.3) ? calls.reorganise() : calls.grow());
      if (random.chance(0.8)) await chain.index();
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  };
  const changing = changes();

  for (let count = 0; count < CASES; count++) {
    const [method, params] = calls.next();
    const before = await chain.askNode(method, params);
    const answered = await chain.ask(method, params);
    const after = await chain.askNode(method, params);
    // What changed in between, or is another block for the index, is compared once that has caught up.
    if (isSame(answered, before) || isSame(answered, after)) continue;
    await settled(chain, method, params);
  }
  isDone = true;
  await changing;
});

const isSame = (one: Answer, other: Answer) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** Asks both until they agree: the index follows the node, so they must. */
async function settled(chain: GatewayChain, method: string, params: unknown[]): Promise<void> {
  await until(`both agree on ${method} ${JSON.stringify(params)}`, async () => {
    const before = await chain.askNode(method, params);
    const answered = await chain.ask(method, params);
    const after = await chain.askNode(method, params);
    return isSame(answered, before) || isSame(answered, after);
  });
}
