import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { AccountRanking } from "./accountRanking.ts";

test("accounts are ranked up to a bound", async (t) => {
  const { store, close } = await serveChain({ seed: 5, blocks: 5 });
  t.after(close);
  const balances = async () => new Map();
  const page = { page: 1, pageSize: 10, cursor: undefined };

  await assert.rejects(new AccountRanking(store, { balances }, 3).list(page), { code: "limit_exceeded" });
  await assert.rejects(new AccountRanking(store, { balances }).list(page), { code: "upstream_unavailable" });
});

test("accounts with equal balances have one order, whether the index went through a reorg or not", async (t) => {
  const orders = await Promise.all(
    [true, false].map(async (isReorganised) => {
      const served = await serveChain({ seed: 5, blocks: 20 });
      t.after(served.close);
      const { chain, store } = served;
      if (!isReorganised) await store.clear();
      chain.fork(8, 12);
      await served.index();
      const balances = async (addresses: readonly Uint8Array[]) =>
        new Map(addresses.map((address) => [toHex(address), BigInt((address[3] ?? 0) % 3)]));
      const { accounts } = await new AccountRanking(store, { balances }).list({
        page: 1,
        pageSize: 1000,
        cursor: undefined,
      });
      return accounts.map(({ address, balance }) => `${balance} ${toHex(address)}`);
    }),
  );

  const [reorganised, fresh] = orders;
  assert.ok(fresh!.length > 10);
  // An index also knows addresses of removed blocks.
  const known = new Set(fresh);
  assert.deepEqual(
    reorganised!.filter((account) => known.has(account)),
    fresh,
  );
  assert.deepEqual(fresh, fresh!.toSorted().reverse());
});
