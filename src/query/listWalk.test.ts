import assert from "node:assert/strict";
import { test } from "node:test";
import { serveChain } from "../../test/support/api.ts";
import type { Position } from "../store/rows/position.ts";
import type { ListWalk } from "./listWalk.ts";
import { walkPage } from "./listWalk.ts";
import type { WalkCursor } from "./pages.ts";

test("a page scans a bounded number of items, and all pages together find everything", async (t) => {
  const { store, close } = await serveChain({ seed: 5, blocks: 300, traffic: { transactions: [2, 4] } });
  t.after(close);
  const all = await store.read(({ transactions }) => transactions.below(undefined, 10_000));
  let scanned = 0;
  const walk: ListWalk = {
    next: async ({ transactions }, after, count) => {
      const positions = await transactions.below(after, count);
      scanned += positions.length;
      return positions;
    },
    select: async (_, positions) => positions.filter((position) => position % 31 === 0),
  };
  const found: Position[] = [];
  let cursor: WalkCursor | undefined;
  let pages = 0;

  do {
    scanned = 0;
    const request = { page: ++pages, pageSize: 3, cursor };
    const { found: page, info } = await walkPage(store, walk, request, async (_, positions) => positions, 400);
    assert.ok(scanned <= 400 && page.length <= 3, `${scanned} for ${page.length}`);
    assert.deepEqual([info.total, info.page], [null, pages]);
    found.push(...page);
    cursor = info.next?.cursor;
  } while (cursor !== undefined);

  assert.ok(all.length > 800 && pages > all.length / 400, `${all.length} on ${pages} pages`);
  assert.deepEqual(
    found,
    all.filter((position) => position % 31 === 0),
  );
});
