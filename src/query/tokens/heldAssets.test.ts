import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { plainTokens, typeOf } from "../../../test/support/tokenOracle.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { itemsByToken, tokensOfKind } from "./heldAssets.ts";

test("the number of scanned assets is bounded", async (t) => {
  const { chain, store, close } = await serveChain({ seed: 5, blocks: 20, tokens: true });
  t.after(close);
  const { ledger, transfers } = plainTokens(chain);
  const holds = (address: string) =>
    [...ledger.values()].filter((token) => typeOf(token) !== "ERC-1155" && (token.balances.get(address) ?? 0n) > 0n)
      .length;
  const has = (address: string) =>
    [...ledger.values()].flatMap(({ itemBalances }) =>
      [...itemBalances].filter(([key, amount]) => key.endsWith(address) && amount > 0n),
    ).length;
  const { to } = transfers.find((one) => holds(one.to) > 1 && has(one.to) > 1)!;
  const id = (await store.latest.addresses.id(fromHex(to)))!;
  const limit = { code: "limit_exceeded" };

  const items = await store.read((session) => itemsByToken(session, id, has(to)));
  assert.equal([...items.values()].flat().length, has(to));
  await assert.rejects(
    store.read((session) => itemsByToken(session, id, has(to) - 1)),
    limit,
  );
  await store.read((session) => tokensOfKind(session, id, "ERC-20", holds(to)));
  await assert.rejects(
    store.read((session) => tokensOfKind(session, id, "ERC-20", holds(to) - 1)),
    limit,
  );
});
