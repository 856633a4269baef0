import assert from "node:assert/strict";
import { test } from "node:test";
import { demonstratedExchange } from "../src/demo/exchange.ts";
import { NO_EXCHANGES } from "../src/query/exchange/exchangeSettings.ts";
import { demonstrated } from "./support/demonstrated.ts";
import { expectActions } from "./support/expectActions.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { firstSeed } from "./support/seed.ts";

const SEED = firstSeed(35);
const BLOCKS = Number(process.env.ORIEL_CASES ?? 160);

test(`the actions of all transactions of a demonstration of ${BLOCKS} blocks are those of their receipts (seed ${SEED})`, async (t) => {
  const { node, demonstration } = await demonstrated({ seed: String(SEED), blocks: BLOCKS });
  await demonstration.buildPast();
  const exchange = { ...NO_EXCHANGES, ...demonstratedExchange("testnet") };
  const followed = await FollowedChain.open(t, { chain: node, exchange });
  followed.start();
  await followed.settle();
  const factories = exchange.factories.map(({ address }) => address);
  const known = { factories, wrapped: exchange.wrappedCoin! };
  const kinds = await expectActions(followed.chain, known, (url) => followed.get(url));

  t.diagnostic(JSON.stringify(Object.fromEntries(kinds)));
  const expectedKinds =
    "swap add_liquidity remove_liquidity wrap transfer mint burn approve send create_contract post_blobs delegate".split(
      " ",
    );
  for (const kind of expectedKinds) assert.ok(kinds.has(kind), `a demonstration has ${kind}`);
});
