import assert from "node:assert/strict";
import { createApp } from "../../../src/api/app.ts";
import { loadHasher } from "../../../src/store/dictionary/secret.ts";
import { mustHave } from "../../../src/store/rows/encoding.ts";
import { SETTINGS } from "../api.ts";
import { CountingDatabase, ForgetfulReader } from "../countingDatabase.ts";
import { askSubgraph } from "./askSubgraph.ts";
import type { ExchangeDriver } from "./driver.ts";
import type { IndexedExchange } from "./indexed.ts";
import { exchangeSettings } from "./indexed.ts";

const QUERIES = {
  v2: [
    "pairs(first: $n) { totalSupply createdAtTimestamp token0 { symbol totalSupply derivedETH } token1 { decimals } }",
    "swaps(first: $n, where: { pair_in: $of }) { id amount0In pair { totalSupply createdAtTimestamp } transaction { swaps { id } } }",
    "mints(first: $n, where: { pair_in: $of }) { id to liquidity amountUSD }",
  ],
  v3: [
    "pools(first: $n) { createdAtTimestamp token0Price token0 { name } token1 { name } }",
    "swaps(first: $n, where: { pool_in: $of }) { amount0 token0 { symbol } transaction { gasUsed mints { id } burns { id } } }",
    "mints(first: $n, where: { pool_in: $of }) { amount1 pool { createdAtTimestamp } transaction { gasPrice swaps { amount0 } } }",
  ],
} as const;

/** Statements for one entity of a list and for many: nothing is read of each. */
export async function expectBatches({ store }: IndexedExchange, { scene }: ExchangeDriver): Promise<void> {
  const counting = new CountingDatabase(store.database);
  const reader = new ForgetfulReader(counting, mustHave(await loadHasher(store.database), "the secret of the index"));
  const app = createApp({ store: reader, settings: SETTINGS, exchange: exchangeSettings(scene) });
  for (const kind of ["v2", "v3"] as const) {
    const of = scene.pools.filter(({ version }) => `v${version}` === kind).map(({ address }) => address);
    for (const fields of QUERIES[kind]) {
      const statements = async (n: number) => {
        reader.forget();
        await askSubgraph(app, kind, "{ _meta { block { number } } }");
        counting.take();
        const text = `query($n: Int!${fields.includes("$of") ? ", $of: [String!]" : ""}) { list: ${fields} }`;
        const { data, errors } = await askSubgraph(app, kind, text, { n, of });
        assert.equal(errors, undefined, fields);
        const { rounds, snapshots } = counting.take();
        assert.equal(snapshots, 1, fields);
        return [(data!.list as unknown[]).length, rounds.length, rounds.flat().length] as const;
      };

      const [one, many] = [await statements(1), await statements(30)];

      assert.ok(one[0] === 1 && many[0] > 5, `${fields}: ${one[0]} and ${many[0]}`);
      assert.ok(many[1] <= one[1] + 8 && many[2] <= one[2] + 14, `${kind} ${fields}: ${one} and ${many}`);
    }
  }
  await app.close();
}
