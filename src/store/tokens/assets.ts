import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Engine, Row } from "../engine/engine.ts";
import type { AssetCounts, AssetList, AssetMove } from "./assetCounts.ts";
import { ASSET_LISTS, assetCounts, countMoves, FEW_ASSETS, totalOf } from "./assetCounts.ts";
import type { HoldingChange } from "./holdings.ts";
import { readHasItems } from "./tokenState.ts";
import { readItem } from "./tokenTables.ts";

const COLUMNS = ["address", "list", "asset"] as const;

/** Balances that changed: those of tokens, and those of items. */
interface BalanceChanges {
  readonly tokens: readonly HoldingChange[];
  readonly items: readonly HoldingChange[];
}

/** Which tokens and which items are assets: of a token that has items those, of every other the token as a whole. */
export interface AssetRule {
  hasItems(token: number): boolean;
  isCounted(item: number): boolean;
}

/**
 * Enters who came to have an asset, and who has none of it any more. Addresses from `firstNew` on had nothing before. What
 * is entered follows from the balances, so that it is unwound by their changes back.
 */
export async function moveAssets(
  engine: Engine,
  { tokens, items }: BalanceChanges,
  rule: AssetRule,
  firstNew: number,
): Promise<void> {
  const moves = [
    ...movesOf(tokens, ASSET_LISTS.tokens, (token) => !rule.hasItems(token)),
    ...movesOf(items, ASSET_LISTS.items, (item) => rule.isCounted(item)),
  ].sort(byKey);
  if (moves.length === 0) return;
  await count(engine, moves, firstNew);
  await engine.remove("asset", COLUMNS, rowsOf(moves, -1));
  await engine.insert("asset", COLUMNS, rowsOf(moves, 1));
}

function* movesOf(
  changes: readonly HoldingChange[],
  list: AssetList,
  isAsset: (asset: number) => boolean,
): Generator<AssetMove> {
  for (const { address, asset, before, after } of changes) {
    const [had, has] = [before > 0n, after > 0n];
    if (had !== has && isAsset(asset)) yield { address, list, asset, by: has ? 1 : -1 };
  }
}

function byKey(a: AssetMove, b: AssetMove): number {
  return a.address - b.address || a.list - b.list || a.asset - b.asset;
}

function* rowsOf(moves: readonly AssetMove[], wanted: AssetMove["by"]): Generator<Row> {
  for (const { address, list, asset, by } of moves) if (by === wanted) yield [address, list, asset];
}

/** The moves of each address, of those that are known or come to have many. The others, who may be very many, need no row. */
function movesByAddress(moves: readonly AssetMove[], firstNew: number): Map<number, readonly AssetMove[]> {
  const found = new Map<number, readonly AssetMove[]>();
  for (let start = 0; start < moves.length; ) {
    const { address } = moves[start]!;
    let end = start + 1;
    while (end < moves.length && moves[end]!.address === address) end++;
    if (address < firstNew || end - start > FEW_ASSETS) found.set(address, moves.slice(start, end));
    start = end;
  }
  return found;
}

/** Before the assets are moved. Who has few of them, and goes on to have few, needs no row, and only their number is looked up. */
async function count(engine: Engine, moves: readonly AssetMove[], firstNew: number): Promise<void> {
  const byAddress = movesByAddress(moves, firstNew);
  const known = [...byAddress.keys()].filter((address) => address < firstNew);
  const rows = await engine.load("SELECT id FROM asset_count WHERE id IN ($keys)", known);
  const many = new Set(rows.map(([id]) => id as number));
  const few = known.filter((address) => !many.has(address));
  const sql = "SELECT address, count(*) FROM asset WHERE address IN ($keys) GROUP BY address";
  const numbers = new Map((await engine.load(sql, few)) as [number, number][]);
  const concerned = [...byAddress].filter(([address, { length }]) => {
    return many.has(address) || (numbers.get(address) ?? 0) + length > FEW_ASSETS;
  });
  await writeCounts(engine, concerned, firstNew);
}

async function writeCounts(
  engine: Engine,
  concerned: readonly (readonly [address: number, moves: readonly AssetMove[]])[],
  firstNew: number,
): Promise<void> {
  const known = concerned.map(([address]) => address).filter((address) => address < firstNew);
  const counts = await readCounts(engine, known);
  const [gone, changed]: [Row[], Row[]] = [[], []];
  for (const [address, moves] of concerned) {
    const before = counts.get(address);
    const after = countMoves(before, moves);
    if (totalOf(after) > FEW_ASSETS) changed.push([address, assetCounts.write(after!)]);
    else if (totalOf(before) > FEW_ASSETS) gone.push([address]);
  }
  await engine.remove("asset_count", ["id"], gone);
  await engine.upsert("asset_count", ["id", "value"], changed);
}

/** Those who have few assets have no row for their number: it is theirs to count. */
export async function readCounts(engine: Engine, addresses: readonly number[]): Promise<Map<number, AssetCounts>> {
  const rows = await engine.load("SELECT id, value FROM asset_count WHERE id IN ($keys)", addresses);
  const counts = new Map(rows.map(([id, value]) => [id as number, assetCounts.read(value as Bytes)]));
  const few = addresses.filter((address) => !counts.has(address));
  if (few.length === 0) return counts;
  const assets = await engine.load("SELECT address, list, asset FROM asset WHERE address IN ($keys)", few);
  for (const [owner, list, asset] of assets as [number, AssetList, number][]) {
    counts.set(owner, countMoves(counts.get(owner), [{ address: owner, list, asset, by: 1 }])!);
  }
  return counts;
}

/** The rule as the tokens and items of some changes have it that are in the database. */
export async function readAssetRule(engine: Engine, { tokens, items }: BalanceChanges): Promise<AssetRule> {
  const ids = new Set(items.map(({ asset }) => asset));
  const rows = await engine.load("SELECT id, value FROM item WHERE id IN ($keys)", [...ids]);
  const tokensOf = new Map(rows.map(([id, value]) => [id as number, readItem(value as Bytes).token]));
  const wanted = new Set([...tokens.map(({ asset }) => asset), ...tokensOf.values()]);
  const states = await engine.load("SELECT id, value FROM token WHERE id IN ($keys)", [...wanted]);
  const withItems = new Set(states.filter(([, value]) => readHasItems(value as Bytes)).map(([id]) => id as number));
  return {
    hasItems: (token) => withItems.has(token),
    isCounted: (item) => withItems.has(tokensOf.get(item)!),
  };
}
