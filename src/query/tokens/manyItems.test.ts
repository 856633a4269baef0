import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../../test/support/api.ts";
import { typicalEventLoopDelay } from "../../../test/support/eventLoopDelay.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { plainTokens } from "../../../test/support/tokenOracle.ts";
import { numbered, openStage } from "../../../test/support/tokenStage.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import type { TokenTransfer } from "../../chain/token/tokenTransfer.ts";
import { KeyedHash } from "../../store/dictionary/keyedHash.ts";
import type { Database } from "../../store/engine/database.ts";
import { OWN_ITEMS } from "../../store/stages/tokens/read/assetReads.ts";
import { TokenReads } from "../../store/stages/tokens/read/tokenReads.ts";
import { openQueryContext } from "../context.ts";
import { itemsByToken } from "./heldAssets.ts";
import { firstItemsOf, MAX_SCANNED_ITEMS, tokensWithItems } from "./manyItems.ts";
import { ITEM_KINDS, listCollections } from "./ownItems.ts";

const SEED = firstSeed();

const OWNERS = 5;

/** Transfers an id. */
const give = (token: number, id: number, kind: TokenTransfer["kind"], to: number, from = 0): TokenTransfer => ({
  kind,
  token: numbered(20, token),
  from: numbered(20, from),
  to: numbered(20, to),
  tokenId: numbered(32, id),
  amount: numbered(32, 1),
  logIndex: 0,
  transactionIndex: 0,
});

const sessionOf = (database: Database) => ({ tokens: new TokenReads(database, new KeyedHash(KeyedHash.newSecret())) });

test(`collections by tokens alone are those by every item (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const { database, append } = await openStage(t, 40);
  const kindOf = (token: number) => (token % 2 === 0 ? "ERC-721" : "ERC-1155");
  const owned = new Map<string, { token: number; id: number; owner: number }>();
  for (let block = 0; block < 30; block++) {
    const transfers: TokenTransfer[] = [];
    for (let count = random.between(1, 12); count > 0; count--) {
      const [token, id, owner] = [random.between(10, 30), random.int(12), random.between(1, OWNERS)];
      const before = owned.get(`${token} ${id}`);
      transfers.push(give(token, id, kindOf(token), owner, before?.owner));
      owned.set(`${token} ${id}`, { token, id, owner });
    }
    await append(transfers);
  }
  const session = sessionOf(database);
  for (let owner = 1; owner <= OWNERS; owner++) {
    const every = await itemsByToken(session, owner);

    const alone = new Map<number, readonly [readonly number[], number | null]>();
    for (const held of await tokensWithItems(session, owner)) {
      const { items, count } = await firstItemsOf(session, owner, held);
      alone.set(held.token.id, [items, count]);
    }

    assert.deepEqual(alone, new Map([...every].map(([token, items]) => [token, [items, items.length]])));
    const expected = new Set([...owned.values()].filter((one) => one.owner === owner).map(({ token }) => token));
    assert.deepEqual(new Set(alone.keys()), expected);
  }
});

test("collections of an address with 60,000 ids of one token are listed without blocking the event loop", async (t) => {
  const { database, append } = await openStage(t, 1200);
  const [owner, spam, honest] = [1, 2, 3];
  await append([7, 8, 9].map((id) => give(honest, id, "ERC-721", id === 8 ? 5 : owner)));
  for (let block = 0; block < 6; block++) {
    await append(Array.from({ length: 10_000 }, (_, at) => give(spam, block * 10_000 + at, "ERC-1155", owner)));
  }
  const session = sessionOf(database);

  const held = await tokensWithItems(session, owner);
  const holds: number[] = [];
  const counts: (readonly [number, number | null, number])[] = [];
  for (const each of held) {
    const { items, count } = await firstItemsOf(session, owner, each);
    counts.push([each.token.id, count, items.length]);
    holds.push(await typicalEventLoopDelay(() => firstItemsOf(session, owner, each), 50));
  }

  assert.equal(await session.tokens.assets.count(owner, OWN_ITEMS), 60_002);
  assert.deepEqual(counts, [
    [spam, null, MAX_SCANNED_ITEMS],
    [honest, 2, 2],
  ]);
  assert.ok(Math.max(...holds) < 50, String(holds));
});

test("more tokens of an address than the limit are not scanned", async (t) => {
  const { database, append } = await openStage(t, 2200);
  await append(Array.from({ length: 2100 }, (_, at) => give(at + 2, at, "ERC-721", 1)));
  const session = sessionOf(database);

  assert.equal((await tokensWithItems(session, 1)).length, 2100);
  await assert.rejects(tokensWithItems(session, 1, 2000), { code: "limit_exceeded" });
});

test("collections of an address with too many ids are those of its tokens, page by page", async (t) => {
  const { chain, store, close } = await serveChain({ seed: 8, blocks: 30, tokens: true, traffic: { logs: [1, 8] } });
  t.after(close);
  const context = openQueryContext({ store });
  t.after(() => context.decoder.close());
  const { transfers } = plainTokens(chain);
  const { to } = transfers.find(({ kind, to: owner }) => kind === "ERC-721" && owner !== `0x${"0".repeat(40)}`)!;
  const id = (await store.latest.addresses.id(fromHex(to)))!;
  const held = await store.read((session) => tokensWithItems(session, id));
  const seen: number[] = [];

  for (let page = 1; ; page++) {
    const request = { page, pageSize: 2, cursor: undefined };
    const { collections, info } = await listCollections(context, fromHex(to), ITEM_KINDS, request, 0);
    seen.push(...collections.map(({ token }) => token.id));
    assert.equal(info.total, held.length);
    if (info.next === null) break;
  }

  assert.ok(held.length > 0);
  assert.deepEqual(
    seen,
    held.map(({ token }) => token.id),
  );
});
