import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { numbered, openStage } from "../../../../test/support/tokenStage.ts";
import type { TokenTransfer } from "../../../chain/token/tokenTransfer.ts";

const ADDRESSES = 40;
const TRANSFERS = 18_000;

/** Rankings, lists and counts. */
const TABLES = ["item_holder", "item_holder_count", "asset", "asset_count"];

/** Item transfers of two tokens, from a few to thousands per address. */
function makeTransfers(seed: number): TokenTransfer[] {
  const random = new Random(seed);
  const holder = () => numbered(20, 5 + Math.floor(random.fraction() ** 3 * (ADDRESSES - 5)));
  return Array.from({ length: TRANSFERS }, (_, logIndex): TokenTransfer => {
    const isNew = random.chance(0.6);
    return {
      kind: "ERC-1155",
      token: numbered(20, 1 + (logIndex % 2)),
      from: isNew ? numbered(20, 3) : holder(),
      to: holder(),
      tokenId: numbered(32, isNew ? logIndex : random.int(TRANSFERS)),
      amount: numbered(32, 1 + random.int(3)),
      logIndex,
      transactionIndex: 0,
    };
  });
}

async function tablesAfter(t: TestContext, transfers: readonly TokenTransfer[], inBlock: number) {
  const { database, append } = await openStage(t, ADDRESSES);
  for (let at = 0; at < transfers.length; at += inBlock) await append(transfers.slice(at, at + inBlock));
  return Promise.all(TABLES.map((table) => database.all(`SELECT * FROM ${table} ORDER BY 1, 2`)));
}

test("a block of eighteen thousand items is ranked and listed as if they had come in many blocks", async (t) => {
  const seed = firstSeed();
  const transfers = makeTransfers(seed);

  const atOnce = await tablesAfter(t, transfers, TRANSFERS);
  const inMany = await tablesAfter(t, transfers, 1500);

  for (const [at, table] of TABLES.entries()) {
    assert.ok(atOnce[at]!.length > 10, `${table} (seed ${seed})`);
    assert.deepEqual(atOnce[at], inMany[at], `${table} (seed ${seed})`);
  }
});
