import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../engine/engine.ts";
import { Store } from "../store.ts";
import { MOST_ASSETS } from "./assetReads.ts";
import { writeSigned } from "./signedAmount.ts";
import { NO_TOKEN, tokenState } from "./tokenState.ts";
import { itemValue } from "./tokenTables.ts";

/** A balance with no transfers listed. */
function holding(amount: bigint): Uint8Array {
  const signed = writeSigned(amount);
  return Uint8Array.of(signed.length, ...signed, 0);
}

const heldRow = (asset: number, amount: bigint): Row => [1, asset, amount > 0n ? 1 : 0, holding(amount)];
const COLUMNS = ["address", "asset", "held", "value"];

test("items that add up to nothing are still there", async () => {
  const store = await Store.inMemory(1);
  const { engine } = store;
  const id = new Uint8Array(32);
  await engine.insert("token", ["id", "value"], [[9, tokenState.write({ ...NO_TOKEN, kinds: ["ERC-1155"] })]]);
  await engine.insert("holding", COLUMNS, [heldRow(9, 0n)]);
  await engine.insert(
    "item",
    ["id", "value"],
    [1, 2].map((item): Row => [item, itemValue(9, id.with(31, item))]),
  );
  await engine.insert("item_holding", COLUMNS, [heldRow(1, 5n), heldRow(2, -5n)]);

  const assets = await store.tokens.assets.of(1);

  assert.deepEqual(assets, [{ token: 9, item: 1 }]);
  assert.deepEqual(await store.tokens.assets.amounts(1, assets), [
    { token: 9, item: 1, tokenId: id.with(31, 1), amount: 5n },
  ]);
  await store.close();
});

test("an address with more than can be gone through at once is refused", async () => {
  const store = await Store.inMemory(1);
  const value = holding(1n);
  const rows = Array.from({ length: MOST_ASSETS }, (_, at): Row => [1, at + 1, 1, value]);
  await store.engine.insert("holding", COLUMNS, rows);
  assert.equal((await store.tokens.assets.of(1)).length, MOST_ASSETS);

  await store.engine.insert("holding", COLUMNS, [[1, MOST_ASSETS + 1, 1, value]]);

  await assert.rejects(store.tokens.assets.of(1), { code: "limit_exceeded" });
  await store.close();
});
