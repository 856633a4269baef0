import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { AuditReport } from "../auditReport.ts";
import type { Engine, Value } from "../engine/engine.ts";
import type { AssetCounts, AssetList } from "./assetCounts.ts";
import { ASSET_LISTS, assetCounts, countMoves, FEW_ASSETS, totalOf } from "./assetCounts.ts";
import { readAssetRule } from "./assets.ts";
import { readHolding } from "./holdings.ts";

type Key = readonly [address: number, list: AssetList, asset: number];

const AT_ONCE = 10_000;

/** What addresses have is what their holdings say, and is counted as it is. The holdings themselves are audited before. */
export async function auditAssets(engine: Engine, report: AuditReport): Promise<void> {
  const stored = walk(engine, "SELECT address, list, asset FROM asset WHERE (address, list, asset) > (?, ?, ?)", 3);
  const counts = walk(engine, "SELECT id, value FROM asset_count WHERE id > ?", 1);
  let owner: { readonly address: number; counts: AssetCounts | undefined } | undefined;
  const close = async () => {
    if (owner === undefined || totalOf(owner.counts) <= FEW_ASSETS) return;
    const { value: row } = await counts.next();
    const isCounted = row?.[0] === owner.address && equalBytes(row[1] as Bytes, assetCounts.write(owner.counts!));
    report.expect(isCounted, `what address ${owner.address} has is not counted as it is`);
  };
  for await (const [address, list, asset] of expectedAssets(engine)) {
    const { value: row } = await stored.next();
    report.expect(
      String(row) === String([address, list, asset]),
      `address ${address} has asset ${asset} of list ${list}`,
    );
    if (owner?.address !== address) {
      await close();
      owner = { address, counts: undefined };
    }
    owner.counts = countMoves(owner.counts, [{ address, list, asset, by: 1 }]);
  }
  await close();
  report.expect((await stored.next()).done === true, "there are assets that no holding tells of");
  report.expect((await counts.next()).done === true, "there are counts of assets that nobody has");
}

/** The assets that the holdings of all addresses are, in the order of their rows. */
async function* expectedAssets(engine: Engine): AsyncGenerator<Key> {
  const lists = [heldOf(engine, "holding", ASSET_LISTS.tokens), heldOf(engine, "item_holding", ASSET_LISTS.items)];
  const next = [await lists[0]!.next(), await lists[1]!.next()];
  for (;;) {
    const open = [0, 1].filter((list) => next[list]!.done !== true);
    if (open.length === 0) return;
    const list = open.reduce((a, b) => (next[b]!.value![0] < next[a]!.value![0] ? b : a));
    yield next[list]!.value!;
    next[list] = await lists[list]!.next();
  }
}

/** The holdings of more than nothing that are assets: of tokens with items those, of the others the tokens. */
async function* heldOf(engine: Engine, table: string, list: AssetList): AsyncGenerator<Key> {
  const sql = `SELECT address, asset, value FROM ${table} WHERE (address, asset) > (?, ?) ORDER BY 1, 2 LIMIT ?`;
  for (let after: readonly number[] = [-1, -1]; ; ) {
    const rows = (await engine.all(sql, ...after, AT_ONCE)) as [number, number, Bytes][];
    const changes = rows.map(([address, asset]) => ({ address, asset, before: 0n, after: 0n }));
    const isTokens = list === ASSET_LISTS.tokens;
    const rule = await readAssetRule(
      engine,
      isTokens ? { tokens: changes, items: [] } : { tokens: [], items: changes },
    );
    for (const [address, asset, value] of rows) {
      const isAsset = isTokens ? !rule.hasItems(asset) : rule.isCounted(asset);
      if (isAsset && readHolding(value).amount > 0n) yield [address, list, asset];
    }
    if (rows.length < AT_ONCE) return;
    after = [rows.at(-1)![0], rows.at(-1)![1]];
  }
}

/** The rows of a table by its key, some at a time. */
async function* walk(engine: Engine, select: string, keys: number): AsyncGenerator<Value[], undefined> {
  const order = Array.from({ length: keys }, (_, at) => at + 1).join(", ");
  for (let after: Value[] = Array.from({ length: keys }, () => -1); ; ) {
    const rows = await engine.all(`${select} ORDER BY ${order} LIMIT ?`, ...after, AT_ONCE);
    yield* rows;
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)!.slice(0, keys);
  }
}
