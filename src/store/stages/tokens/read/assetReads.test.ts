import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, runs } from "../../../../../test/support/fastCheck.ts";
import { numbered, openStage } from "../../../../../test/support/tokenStage.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind, TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import type { Database, Row, Value } from "../../../engine/database.ts";
import { MAX_UNLISTED, RANGE } from "../tables/assetCounts.ts";
import { AssetReads } from "./assetReads.ts";

const NOBODY: Bytes = new Uint8Array(20);

const ALICE = numbered(20, 1);
const BOB = numbered(20, 2);
const amountOf = (amount: number) => numbered(32, amount);

let logs = 0;

function transfer(kind: TokenKind, from: Bytes, to: Bytes, tokenId?: number, amount = 1): TokenTransfer {
  const place = { logIndex: logs++, transactionIndex: 0 };
  const item = tokenId === undefined ? {} : { tokenId: numbered(32, tokenId) };
  return { kind, token: numbered(20, 9), from, to, amount: amountOf(amount), ...item, ...place };
}

const keysOf = (assets: readonly { list: number; id: number }[]) => assets.map(({ list, id }) => `${list} ${id}`);

test("a token counts item by item where its first transfer was an ERC-1155's, and as a whole otherwise", async (t) => {
  const [items, whole] = [await openStage(t, 9), await openStage(t, 9)];

  await items.append([
    transfer("ERC-1155", NOBODY, ALICE, 5),
    transfer("ERC-20", NOBODY, ALICE),
    transfer("ERC-721", NOBODY, ALICE, 6),
  ]);
  await whole.append([transfer("ERC-20", NOBODY, ALICE), transfer("ERC-1155", NOBODY, ALICE, 5)]);

  assert.deepEqual(keysOf(await new AssetReads(items.database).fromRank(1, 0, 9)), ["1 1", "1 2"]);
  assert.deepEqual(keysOf(await new AssetReads(whole.database).fromRank(1, 0, 9)), ["0 9"]);
});

test("items that add up to nothing are still there, and those of less than nothing are not", async (t) => {
  const { database, append } = await openStage(t, 9);

  await append([transfer("ERC-1155", NOBODY, ALICE, 1, 5), transfer("ERC-1155", ALICE, BOB, 2, 5)]);

  const reads = new AssetReads(database);
  const assets = await reads.fromRank(1, 0, 9);
  assert.deepEqual(await reads.amounts(1, assets), [
    { list: 1, id: 1, token: 9, tokenId: numbered(32, 1), amount: 5n },
  ]);
  assert.deepEqual([await reads.count(1), await reads.count(2)], [1, 1]);
});

/** Records statements and row counts. */
function watched(database: Database) {
  const asked: { sql: string; parameters: readonly unknown[]; rows: number }[] = [];
  const watch =
    (read: (sql: string, ...rest: never[]) => Promise<Row[]>) =>
    async (sql: string, ...parameters: Value[]) => {
      const rows = await read.call(database, sql, ...(parameters as never[]));
      asked.push({ sql, parameters, rows: rows.length });
      return rows;
    };
  const watching = new Proxy(database, {
    get(target, name) {
      if (name === "all" || name === "load" || name === "loadPairs") return watch(target[name] as never);
      const value = target[name as keyof Database];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { reads: new AssetReads(watching), asked };
}

test("any page of 60,000 items and their count are a few short reads", async (t) => {
  const { database, append } = await openStage(t, 9);
  const [count, page] = [60_000, 50];
  await append(Array.from({ length: count }, (_, at) => transfer("ERC-1155", NOBODY, ALICE, at)));
  const expected = (rank: number) => Array.from({ length: page }, (_, at) => `1 ${rank + at + 1}`);

  for (const rank of [0, page, count >> 2, (count >> 1) + 7, count - page]) {
    const { reads, asked } = watched(database);
    const found = await reads.fromRank(1, rank, page);
    const held = await reads.amounts(1, found);

    assert.deepEqual(keysOf(found), expected(rank));
    assert.equal(held.length, page);
    assert.ok(asked.length <= 8, `${asked.length} statements`);
    const rows = asked.reduce((sum, one) => sum + one.rows, 0);
    assert.ok(rows <= 3 * page + 5, `${rows} rows`);
    const offsets = asked
      .filter(({ sql }) => sql.includes("OFFSET"))
      .map(({ parameters }) => parameters.at(-1) as number);
    assert.ok(offsets.length <= 1 && offsets.every((offset) => offset <= RANGE / 2), String(offsets));
    for (const { sql, parameters } of asked.filter(({ sql }) => sql.includes("FROM asset WHERE"))) {
      const plan = await database.all(`EXPLAIN QUERY PLAN ${sql}`, ...(parameters as Value[]));
      assert.match(String(plan.map((step) => step[3])), /^SEARCH asset USING PRIMARY KEY \([^)]*\)$/);
    }
  }
  const { reads, asked } = watched(database);
  assert.equal(await reads.count(1), count);
  assert.deepEqual(
    asked.map(({ rows }) => rows),
    [1, 0],
  );
});

test("items of several ranges of ids are paged, counted and taken back as a plain list", async (t) => {
  const { database, append, unwind } = await openStage(t, 9);
  const spread = RANGE + 20;
  const first = await append(
    Array.from({ length: spread }, (_, at) => transfer("ERC-1155", NOBODY, at % 9 === 0 ? ALICE : BOB, at)),
  );
  const ofAlice = Array.from({ length: spread }, (_, at) => at)
    .filter((at) => at % 9 === 0)
    .map((at) => `1 ${at + 1}`);
  const reads = new AssetReads(database);
  const expectList = async (list: readonly string[]) => {
    assert.equal(await reads.count(1), list.length);
    for (const rank of [0, list.length - 2, list.length >> 1, list.length]) {
      assert.deepEqual(keysOf(await reads.fromRank(1, rank, 5)), list.slice(rank, rank + 5), `from ${rank}`);
    }
    assert.deepEqual(keysOf(await reads.fromRank(1, 0, spread)), list);
  };
  await expectList(ofAlice);

  await append([
    transfer("ERC-1155", ALICE, BOB, 9),
    transfer("ERC-1155", ALICE, BOB, 0),
    transfer("ERC-20", NOBODY, ALICE),
  ]);
  await expectList(ofAlice.slice(2));
  await unwind(first);

  await expectList(ofAlice);
});

type Balances = ReadonlyMap<string, number>;

const tokenOf = (asset: number) => 10 + asset;

/** In token id order. */
const expectedOf = (balances: Balances, address: number) =>
  [...balances]
    .filter(([pair, amount]) => pair.startsWith(`${address} `) && amount > 0)
    .map(([pair]) => Number(pair.split(" ")[1]))
    .sort((a, b) => a - b)
    .map((token) => `0 ${token}`);

test("assets are those of a plain sum, whether an address has many holdings or few, and after an unwind", async (t) => {
  const move = fc.record({
    asset: fc.integer({ min: 0, max: 11 }),
    to: fc.integer({ min: 1, max: 3 }),
    isBack: fc.boolean(),
  });
  const block = fc.array(move, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 2, maxLength: 6 }), fc.nat(), async (blocks, cut) => {
      const { database, append, unwind } = await openStage(t, 22);
      const reads = new AssetReads(database);
      const states: { tip: Awaited<ReturnType<typeof append>>; balances: Balances }[] = [];
      const expectAll = async (balances: Balances) => {
        for (const address of [1, 2, 3]) {
          const expected = expectedOf(balances, address);
          const found = await reads.fromRank(address, 0, 99);
          assert.deepEqual(keysOf(found), expected);
          assert.equal(await reads.count(address), expected.length);
          if (found.length < 2) continue;
          assert.deepEqual(keysOf(await reads.fromRank(address, 1, 2)), expected.slice(1, 3));
          assert.deepEqual(keysOf(await reads.after(address, found[0]!, 2)), expected.slice(1, 3));
        }
      };
      for (const moves of blocks) {
        const balances = new Map(states.at(-1)?.balances);
        const transfers = moves.map(({ asset, to, isBack }): TokenTransfer => {
          const pair = `${to} ${tokenOf(asset)}`;
          const isBurn = isBack && (balances.get(pair) ?? 0) > 0;
          balances.set(pair, (balances.get(pair) ?? 0) + (isBurn ? -1 : 1));
          const [sender, recipient] = isBurn ? [numbered(20, to), NOBODY] : [NOBODY, numbered(20, to)];
          return { ...transfer("ERC-20", sender, recipient), token: numbered(20, tokenOf(asset)) };
        });
        states.push({ tip: await append(transfers), balances });
        await expectAll(balances);
      }
      const to = states[cut % states.length]!;
      await unwind(to.tip);
      await expectAll(to.balances);
      const [rows] = await database.all("SELECT count(*) FROM asset_count");
      const many = [1, 2, 3].filter((one) => {
        return [...to.balances.keys()].filter((pair) => pair.startsWith(`${one} `)).length > MAX_UNLISTED;
      });
      assert.equal(rows![0], many.length);
    }),
    runs(40),
  );
});
