import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes } from "../src/chain/encoding/bytes.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { readSigned } from "../src/store/rows/signedAmount.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import { depositCodec } from "../src/store/stages/tokens/tables/depositLedger.ts";
import { readHolding } from "../src/store/stages/tokens/tables/holdings.ts";
import { tokenState } from "../src/store/stages/tokens/tables/tokenState.ts";
import { readItem } from "../src/store/stages/tokens/tables/tokenTables.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { PlainToken } from "./support/plainLedger.ts";
import { plainHistory, plainLedger } from "./support/plainLedger.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { expectedBalances, typeOf } from "./support/tokenOracle.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 2);
const SEED = firstSeed();

async function settle(store: Store, chain: SimulatedChain): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
}

/** Every balance, count, supply and rank of the index against the plain sums of the chain's own receipts. */
async function expectLedger(store: Store, chain: SimulatedChain, label: string): Promise<void> {
  const tokens = plainLedger(chain);
  const addresses = new Map<number, string>();
  for (const [id, value] of await store.database.all("SELECT id, value FROM address")) {
    addresses.set(id as number, toHex(value as Bytes));
  }
  const balances = new Map<string, Map<string, bigint>>();
  for (const [holder, asset, value] of await store.database.all("SELECT address, asset, value FROM holding")) {
    const [address, token] = [addresses.get(holder as number)!, addresses.get(asset as number)!];
    balances.set(token, (balances.get(token) ?? new Map()).set(address, readHolding(value as Bytes).amount));
  }
  const rows = await store.database.all("SELECT id, value FROM token");
  assert.equal(rows.length, tokens.size, `${label}: number of tokens`);
  for (const [id, value] of rows) {
    const address = addresses.get(id as number)!;
    const plain = tokens.get(address)!;
    const holders = [...plain.balances].filter(([, balance]) => balance > 0n);
    const state = tokenState.read(value as Bytes);
    assert.equal(state.supply, plain.supply, `${label}: supply of ${address}`);
    assert.equal(state.holders, holders.length, `${label}: holders of ${address}`);
    const debtors = [...plain.balances.values()].filter((balance) => balance < 0n);
    assert.equal(state.debtors, debtors.length, `${label}: debtors of ${address}`);
    assert.deepEqual(balances.get(address) ?? new Map(), plain.balances, `${label}: balances of ${address}`);
    const ranked = await store.database.all(
      "SELECT amount, address FROM holder WHERE token = ? ORDER BY amount DESC",
      id as number,
    );
    const amounts = ranked.map(([amount]) => readSigned(amount as Bytes));
    const byValue = holders.map(([, balance]) => balance).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    assert.deepEqual(amounts, byValue, `${label}: order of ${address}`);
    const [tail] = await store.database.all("SELECT count FROM token_transfer_tail WHERE owner = ?", id as number);
    assert.equal(tail![0], plain.transfers, `${label}: transfers of ${address}`);
  }
  await expectItems(store, chain, addresses, label);
  await expectRanking(store, tokens, addresses, label);
  await expectAssets(store, tokens, addresses, label);
  await expectDeposits(store, chain, addresses, label);
}

/** Holdings of every address from the first asset on, from the middle on, and after the one before that. */
async function expectAssets(
  store: Store,
  tokens: ReadonlyMap<string, PlainToken>,
  addresses: ReadonlyMap<number, string>,
  label: string,
): Promise<void> {
  const { assets } = store.latest.tokens;
  const counted = new Map(
    (await store.database.all("SELECT address, count(*) FROM asset GROUP BY 1")) as [number, number][],
  );
  const parties = new Set([...tokens.values()].flatMap(({ balances }) => [...balances.keys()]));
  const keys = (list: readonly { list: number; id: number }[]) => list.map((one) => `${one.list} ${one.id}`);
  for (const [id, address] of addresses) {
    if (!parties.has(address)) {
      assert.equal(counted.get(id), undefined, `${label}: assets of ${address}`);
      continue;
    }
    const all = await assets.amounts(id, await assets.fromRank(id, 0, 10_000));
    const shown = all.map(({ token, tokenId, amount }) => {
      return `${addresses.get(token)} ${tokenId === undefined ? null : BigInt(toHex(tokenId))} ${amount}`;
    });
    assert.deepEqual(shown.sort(), expectedBalances(tokens, address), `${label}: assets of ${address}`);
    assert.equal(await assets.count(id), all.length, `${label}: number of assets of ${address}`);
    const rank = all.length >> 1;
    const expected = keys(all.slice(rank, rank + 3));
    assert.deepEqual(keys(await assets.fromRank(id, rank, 3)), expected, `${label}: from ${rank} of ${address}`);
    if (rank > 0)
      assert.deepEqual(keys(await assets.after(id, all[rank - 1]!, 3)), expected, `${label}: after ${rank}`);
  }
}

async function expectDeposits(
  store: Store,
  chain: SimulatedChain,
  addresses: ReadonlyMap<number, string>,
  label: string,
): Promise<void> {
  const found = new Map<string, string[]>();
  for (const [id, value] of await store.database.all("SELECT id, value FROM wrapper")) {
    const { phase, balances } = depositCodec.read(value as Bytes);
    const lines = [...balances].map(([address, amount]) => `${addresses.get(address)} ${amount}`);
    if (phase === "open") found.set(addresses.get(id as number)!, lines.sort());
  }
  const expected = [...plainHistory(chain).deposits].map(([contract, balances]): [string, string[]] => {
    return [contract, [...balances!].map(([address, amount]) => `${address} ${amount}`).sort()];
  });
  assert.deepEqual([...found].sort(), expected.sort(), `${label}: deposits`);
}

const STANDARDS = ["ERC-20", "ERC-721", "ERC-1155"];

async function expectRanking(
  store: Store,
  tokens: ReadonlyMap<string, PlainToken>,
  addresses: ReadonlyMap<number, string>,
  label: string,
): Promise<void> {
  const expected = [...tokens].flatMap(([address, token]) => {
    const { balances } = token;
    const holders = [...balances.values()].filter((balance) => balance > 0n).length;
    const type = STANDARDS.indexOf(typeOf(token));
    return [0, type + 1].map((list) => `${list} ${-holders} ${address}`);
  });
  const rows = await store.database.all("SELECT list, rank, token FROM token_rank");
  const found = rows.map(([list, rank, token]) => `${list} ${rank} ${addresses.get(token as number)}`);
  assert.deepEqual(found.sort(), expected.sort(), `${label}: ranking of tokens`);
  for (const [list, count] of await store.database.all("SELECT list, tokens FROM token_rank_count"))
    assert.equal(count, expected.filter((line) => line.startsWith(`${list} `)).length, `${label}: tokens of ${list}`);
}

async function expectItems(
  store: Store,
  chain: SimulatedChain,
  addresses: ReadonlyMap<number, string>,
  label: string,
): Promise<void> {
  const found = new Map<string, bigint>();
  const sql = "SELECT h.address, i.value, h.value FROM item_holding h JOIN item i ON i.id = h.asset";
  for (const [address, item, value] of await store.database.all(sql)) {
    const { token, tokenId } = readItem(item as Bytes);
    const name = `${addresses.get(token)} ${BigInt(toHex(tokenId))}/${addresses.get(address as number)}`;
    found.set(name, readHolding(value as Bytes).amount);
  }
  const expected = new Map<string, bigint>();
  for (const [token, { itemBalances }] of plainLedger(chain)) {
    for (const [item, balance] of itemBalances) expected.set(`${token} ${item}`, balance);
  }
  const sorted = (map: Map<string, bigint>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(found), sorted(expected), `${label}: items`);
}

test(`${CASES} random chains of hostile tokens and reorgs add up as their receipts do (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const wrappers = random.pick([0, 3, 9]);
    const chain = new SimulatedChain({ seed, traffic: { addresses: 12, logs: [0, 12], wrappers } });
    const store = await openStore(IN_MEMORY, chain.chainId);
    for (let round = 0; round < 3; round++) {
      chain.mine(random.between(1, 8));
      await settle(store, chain);
      await expectLedger(store, chain, `seed ${seed}, round ${round}`);
      const depth = random.between(1, Math.min(8, chain.length - 1));
      chain.fork(depth, depth + random.int(3));
    }
    await settle(store, chain);
    await expectLedger(store, chain, `seed ${seed}`);
    assert.deepEqual(await store.read((session) => auditTokens(session, transfersOf)), [], `seed ${seed}: audit`);
    const scratch = await openStore(IN_MEMORY, chain.chainId);
    await settle(scratch, chain);
    assert.equal(await store.read(fingerprint), await scratch.read(fingerprint), `seed ${seed}: from scratch`);
    await Promise.all([store.close(), scratch.close()]);
  }
});

test("the stage derived later from stored rows is the one written with the blocks", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const chain = new SimulatedChain({ seed, traffic: { logs: [0, 12], wrappers: 5 } });
    chain.mine(40);
    const together = await openStore(IN_MEMORY, chain.chainId);
    await settle(together, chain);
    const later = await openStore(IN_MEMORY, chain.chainId);
    const blocks = await simulatedSource(chain).blocks(0, chain.length);
    await later.append({ head: chain.head.number, blocks: blocks });

    while ((await later.derive(STAGES[0]!, 7)) > 0);

    assert.equal(await later.read(fingerprint), await together.read(fingerprint), `seed ${seed}`);
    await together.close();
    await later.close();
  }
});

test("a stage derived near the head can be unwound as one written with the blocks", async () => {
  const chain = new SimulatedChain({ seed: 9, traffic: { logs: [0, 12] } });
  chain.mine(30);
  const store = await openStore(IN_MEMORY, chain.chainId);
  const blocks = await simulatedSource(chain).blocks(0, chain.length);
  await store.append({ head: chain.head.number, blocks: blocks });
  await settle(store, chain);
  chain.fork(20, 21);
  await settle(store, chain);

  await expectLedger(store, chain, "after the reorg");
  assert.equal(toHex((await store.latest.blocks.tip())!.hash), chain.head.hash);
  await store.close();
});

test("new blocks do not wait for a stage that is being derived", async () => {
  const chain = new SimulatedChain({ seed: 5, traffic: { transactions: [0, 2], logs: [0, 4] } });
  chain.mine(500);
  const store = await openStore(IN_MEMORY, chain.chainId);
  const core = new Indexer({ store, source: simulatedSource(chain) });
  while ((await core.step()) !== "idle");
  chain.mine(3);

  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  await indexer.step();

  const [tokens] = (await store.latest.stages()).filter(({ name }) => name === "tokens");
  assert.equal((await store.latest.blocks.tip())!.number, chain.head.number);
  assert.ok(tokens!.block < chain.head.number, `tokens are at ${tokens!.block}`);
  while ((await indexer.step()) !== "idle");
  await expectLedger(store, chain, "derived beside new blocks");
  const scratch = await openStore(IN_MEMORY, chain.chainId);
  await settle(scratch, chain);
  assert.equal(await store.read(fingerprint), await scratch.read(fingerprint));
  await Promise.all([store.close(), scratch.close()]);
});
