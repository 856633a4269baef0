import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { AccountRanking } from "./accountRanking.ts";

test("accounts are ranked up to a bound", async (t) => {
  const { store, close } = await serveChain({ seed: 5, blocks: 5 });
  t.after(close);
  const balances = async () => new Map();
  const page = { page: 1, pageSize: 10, cursor: undefined };

  await assert.rejects(new AccountRanking(store, { balances }, 3).list(page), { code: "limit_exceeded" });
  await assert.rejects(new AccountRanking(store, { balances }).list(page), { code: "upstream_unavailable" });
});
