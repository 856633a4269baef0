import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { ChainError } from "../../chain/error.ts";
import { countKnownAddresses, readKnownAddresses } from "../../store/stages/native/knownAddresses.ts";
import { openQueryContext } from "../context.ts";
import { listAccounts, MAX_BEHIND } from "./accounts.ts";

const FIRST = { page: 1, pageSize: 10, cursor: undefined };

test("accounts come from the node until balances are indexed, and an empty list is explained", async (t) => {
  const { chain, store, index, close } = await serveChain({ seed: 5, blocks: 5, traces: true });
  t.after(close);
  const open = (authoritative: boolean) =>
    openQueryContext({ store, source: simulatedSource(chain, { authoritative }) });
  const [node, development, alone] = [open(false), open(true), openQueryContext({ store })];
  const listed = async (context: typeof node, max?: number) => {
    const { info, accounts, total } = await listAccounts(context, FIRST, max);
    return { block: info.block, total: info.total, sum: total, first: accounts[0]?.balance };
  };
  const asked = await listed(node);
  assert.equal(asked.block, chain.head.number);
  await assert.rejects(listed(node, 3), { code: "stage_behind", message: /kept once traces are at block/ });
  await assert.rejects(listed(alone), { code: "upstream_unavailable" });
  const { targets, seen } = await store.read(async (session) => {
    const counts = await countKnownAddresses(session);
    return { targets: counts, seen: await readKnownAddresses(session, counts, 0, 1000) };
  });
  const { number, hash } = (await store.latest.blocks.tip())!;
  await store.nativeBalances.begin(number, targets);
  const some = { number, hash, backfilled: 4, balances: seen.slice(0, 4).map((address) => ({ address, balance: 1n })) };
  await store.nativeBalances.fill(some);
  // Not cached for another branch or height.
  for (const other of [{ hash: new Uint8Array(32) }, { number: number - 1 }]) {
    await store.nativeBalances.fill({ ...some, ...other, backfilled: seen.length });
  }

  // Some balances are not known yet.
  assert.deepEqual(await listed(node), asked);
  const message = `The balances of 4 of ${seen.length} of them are known so far.`;
  await assert.rejects(listed(node, 3), { code: "stage_behind", message: new RegExp(message) });

  await store.nativeBalances.fill({
    ...{ number, hash, backfilled: seen.length },
    balances: seen.map((address) => ({ address, balance: 7n })),
  });
  const distinct = new Set(seen.map(String)).size;
  const kept = { block: number, total: distinct, sum: 7n * BigInt(distinct), first: 7n };

  for (const context of [node, alone]) assert.deepEqual(await listed(context), kept);
  assert.deepEqual(await listed(development), asked, "a development chain changes balances without a block");
  assert.deepEqual(await listed(development, 3), kept);
  chain.mine(MAX_BEHIND + 1);
  await index();
  assert.equal((await listed(open(false))).block, chain.head.number, "what is kept is old");
  assert.deepEqual([await listed(node, 3), await listed(alone)], [kept, kept]);
  const requests = () => Promise.reject(new ChainError("upstream_unavailable", "the node is gone"));
  const failing = openQueryContext({ store, source: { ...simulatedSource(chain), requests } });
  assert.deepEqual(await listed(failing), kept, "old or not, it is exact at its block");
});

test("an index without traces says what keeps balances", async (t) => {
  const { chain, store, close } = await serveChain({ seed: 5, blocks: 5 });
  t.after(close);
  const context = openQueryContext({ store, source: simulatedSource(chain) });

  await assert.rejects(listAccounts(context, FIRST, 3), { code: "stage_behind", message: /--traces turns them on/ });
});
