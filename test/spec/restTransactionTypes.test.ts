import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../support/api.ts";
import { plainLedger, plainTransfers } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { addressesIn } from "../support/restOracle.ts";
import { firstSeed } from "../support/seed.ts";
import type { SimulatedChain } from "../support/simulatedChain.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";

const SEED = firstSeed();
const ORDER = [
  ...["coin_transfer", "contract_call", "contract_creation", "token_creation", "token_transfer"],
  ...["blob_transaction", "set_code_transaction"],
];

/** Token activity of each transaction, from the chain's receipts. */
function tokenTypes(chain: SimulatedChain): Map<string, string[]> {
  const transferring = new Set(plainTransfers(chain).map(({ transaction }) => transaction));
  const tokens = plainLedger(chain);
  const types = new Map<string, string[]>();
  for (let number = 0; number < chain.length; number++) {
    for (const { transactionHash, contractAddress, status } of chain.wireReceipts(number)!) {
      const hash = transactionHash as string;
      const isTokenMade = contractAddress !== null && status !== "0x0" && tokens.has(contractAddress as string);
      const found = [isTokenMade && "token_creation", transferring.has(hash) && "token_transfer"];
      types.set(
        hash,
        found.filter((type) => type !== false),
      );
    }
  }
  return types;
}

function expectTypes(items: readonly Json[], expected: ReadonlyMap<string, string[]>): void {
  for (const { hash, transaction_types, tx_types } of items) {
    const types = transaction_types as string[];
    const ofTokens = types.filter((type) => type.startsWith("token_"));
    assert.deepEqual(ofTokens, expected.get(hash as string), String(hash));
    assert.deepEqual(
      types,
      ORDER.filter((type) => types.includes(type)),
    );
    assert.deepEqual(tx_types, types);
  }
}

async function expectEverywhere(site: Site, random: Random): Promise<Json[]> {
  const expected = tokenTypes(site.chain);
  const all = await walk(site, "transactions", random.between(1, 60));
  assert.equal(all.length, expected.size);
  expectTypes(all, expected);
  for (let number = 0; number < site.chain.length; number++)
    expectTypes(await walk(site, `blocks/${number}/transactions`, 5), expected);
  for (const address of addressesIn(site.chain).slice(0, 10))
    expectTypes(await walk(site, `addresses/${address}/transactions`, 9), expected);
  for (const { hash } of all.slice(0, 15)) expectTypes([(await site.fetch(`transactions/${hash}`)).body], expected);
  return all;
}

test(`transactions say whether they moved tokens or made one, in every list and through reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const site = await openSite(t, { seed: SEED, blocks: 12, traffic: { logs: [0, 6] } });
  for (let round = 0; round < 3; round++) {
    await expectEverywhere(site, random);
    site.chain.fork(Math.min(random.between(1, 8), site.chain.length - 1), random.between(1, 10));
    await site.index();
  }
});

test("a contract that was deployed and is a token was made by a token creation", async (t) => {
  const site = await openSite(t, { seed: 95, blocks: 40, traffic: { logs: [1, 6] } });

  const all = await expectEverywhere(site, new Random(1));

  for (const type of ["token_creation", "token_transfer"])
    assert.ok(
      all.some(({ transaction_types }) => (transaction_types as string[]).includes(type)),
      type,
    );
});

test("without the tokens stage types of tokens are absent, and a pending transaction has none", async (t) => {
  const without = await openSite(t, { seed: 95, blocks: 20, tokens: false });
  const site = await openSite(t, { seed: 95, blocks: 20 });
  const ofTokens = ({ transaction_types }: Json) =>
    (transaction_types as string[]).filter((type) => type.startsWith("token_"));

  assert.deepEqual((await without.list("transactions", { page_size: 1000 })).items.flatMap(ofTokens), []);
  const waiting = (await site.fetch(`transactions/${site.chain.submit()}`)).body;
  assert.deepEqual([waiting.block_number, ofTokens(waiting)], [null, []]);
});
