import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { observeAll } from "../../../test/support/namedTokens.ts";
import { openQueryContext } from "../context.ts";
import { findCopies } from "./copies.ts";
import { listTokens, TOKEN_KINDS } from "./tokenList.ts";

test("a token is a copy wherever the one with more holders is listed", async (t) => {
  const { store, close } = await serveChain({ seed: 1, blocks: 40, tokens: true, traffic: { honestTokens: 4 } });
  t.after(close);
  await observeAll(store, (token) => ({ name: "Coin", symbol: token % 2 === 0 ? "COIN" : null }));
  const filter = { kinds: TOKEN_KINDS, sort: "holders_count", order: "desc", query: undefined } as const;
  const page = await listTokens({ store } as never, filter, { page: 1, pageSize: 100, cursor: undefined });
  const named = page!.tokens.filter(({ seen }) => seen?.symbol.text === "COIN");
  const maxHolders = Math.max(...named.map(({ state }) => state.holders));

  for (const token of page!.tokens) {
    const copies = await findCopies(openQueryContext({ store }), [token]);
    assert.equal(copies.has(token), named.includes(token) && token.state.holders < maxHolders);
  }
  assert.ok(
    named.some(({ state }) => state.holders < maxHolders),
    "there is a copy",
  );
});
