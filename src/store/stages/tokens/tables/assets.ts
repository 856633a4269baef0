import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { settleAll } from "../../../../std/async.ts";
import type { Reader, Row, Writer } from "../../../engine/database.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import type { AssetCounts, AssetList, AssetMove } from "./assetCounts.ts";
import { ASSET_LISTS, assetCounts, countMoves, MAX_UNLISTED, NO_ASSETS } from "./assetCounts.ts";
import type { HoldingChange } from "./holdings.ts";
import { readHolding } from "./holdings.ts";
import { readHasItems } from "./tokenState.ts";
import { readItem } from "./tokenTables.ts";

const ASSET_COLUMNS = ["address", "list", "asset"] as const;

/** By list. */
export const HOLDING_TABLES = ["holding", "item_holding", "item_holding"] as const satisfies Record<AssetList, string>;

interface HoldingChanges {
  readonly tokens: readonly HoldingChange[];
  readonly items: readonly HoldingChange[];
}

/** A token with items is in no list, and its items are in their own. */
export interface AssetRule {
  hasItems(token: AddressId): boolean;
  /** Undefined unless the token has items. */
  itemOf(item: ItemId): AddressId | undefined;
  /** Whether an address may have more than `MAX_UNLISTED` holdings; by default each may. */
  mayHaveMany?(address: AddressId): boolean;
}

/**
 * Updates asset lists after holdings were written. Addresses from `firstNew` on had nothing. Derived from holdings, so
 * it is unwound by their inverse changes.
 */
export async function moveAssets(
  writer: Writer,
  changes: HoldingChanges,
  rule: AssetRule,
  firstNew: number,
): Promise<void> {
  for (const some of inParts(await moveKnown(writer, changes, rule, firstNew))) await list(writer, some);
}

/** Updates existing lists. Returns addresses whose list has to be created, with their holdings count. */
async function moveKnown(writer: Writer, changes: HoldingChanges, rule: AssetRule, firstNew: number) {
  const byAddress = movesByAddress(allMoves(changes, rule).sort(byKey), firstNew);
  const known = [...byAddress.keys()].filter((address) => address < firstNew);
  const listed = await readCounts(writer, known);
  await moveListed(writer, listed, byAddress);
  return findMany(writer, unlisted(byAddress, listed), firstNew);
}

/** Holdings listed per batch. */
const HOLDING_BATCH_SIZE = 8192;

/** Groups addresses by total holdings; a single one may exceed the limit. */
function* inParts(holdings: readonly (readonly [address: number, count: number])[]): Generator<number[]> {
  let part: number[] = [];
  let size = 0;
  for (const [address, count] of holdings) {
    if (size > 0 && size + count > HOLDING_BATCH_SIZE) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(address);
    size += count;
  }
  if (part.length > 0) yield part;
}

/** Those of addresses that may have a list. */
function allMoves({ tokens, items }: HoldingChanges, rule: AssetRule): AssetMove[] {
  const mayHaveMany = (address: AddressId) => rule.mayHaveMany?.(address) ?? true;
  const listOfItem = (item: ItemId) => (rule.itemOf(item) === undefined ? ASSET_LISTS.uniques : ASSET_LISTS.items);
  return [
    ...movesOf(tokens, (token) => (rule.hasItems(token) ? undefined : ASSET_LISTS.tokens), mayHaveMany),
    ...movesOf(items, listOfItem, mayHaveMany),
  ];
}

function* movesOf(
  changes: readonly HoldingChange[],
  listOf: (asset: number) => AssetList | undefined,
  mayHaveMany: (address: AddressId) => boolean,
): Generator<AssetMove> {
  for (const { address, asset, before, after, rows } of changes) {
    if (!mayHaveMany(address)) continue;
    const list = listOf(asset);
    const isMoved = before > 0n !== after > 0n && list !== undefined;
    const by = !isMoved ? 0 : after > 0n ? 1 : -1;
    if (isMoved || rows !== 0) yield { address, list: list ?? ASSET_LISTS.tokens, asset, rows, by };
  }
}

function byKey(a: AssetMove, b: AssetMove): number {
  return a.address - b.address || a.list - b.list || a.asset - b.asset;
}

/** Skips new addresses with few holdings, which may be very many. */
function movesByAddress(moves: readonly AssetMove[], firstNew: number): Map<number, readonly AssetMove[]> {
  const found = new Map<number, readonly AssetMove[]>();
  for (let start = 0; start < moves.length; ) {
    const { address } = moves[start]!;
    let end = start + 1;
    while (end < moves.length && moves[end]!.address === address) end++;
    if (address < firstNew || end - start > MAX_UNLISTED) found.set(address, moves.slice(start, end));
    start = end;
  }
  return found;
}

/** An address left with few holdings after an unwind loses its list. */
async function moveListed(
  writer: Writer,
  listed: ReadonlyMap<number, AssetCounts>,
  byAddress: ReadonlyMap<number, readonly AssetMove[]>,
): Promise<void> {
  const [gone, counts, removed, added]: [Row[], Row[], Row[], Row[]] = [[], [], [], []];
  for (const [address, before] of listed) {
    const moves = byAddress.get(address) ?? [];
    const after = countMoves(before, moves);
    if (after.holdings <= MAX_UNLISTED) {
      gone.push([address]);
      continue;
    }
    counts.push([address, assetCounts.write(after)]);
    for (const { list, asset, by } of moves) if (by !== 0) (by > 0 ? added : removed).push([address, list, asset]);
  }
  await writer.remove("asset_count", ["id"], gone);
  await writer.remove("asset", ["address"], gone);
  await writer.update("asset_count", ["id", "value"], counts);
  await writer.remove("asset", ASSET_COLUMNS, removed);
  await writer.insert("asset", ASSET_COLUMNS, added);
}

/** With more holdings than before. */
function unlisted(byAddress: ReadonlyMap<number, readonly AssetMove[]>, listed: ReadonlyMap<number, AssetCounts>) {
  return [...byAddress].filter(([address, moves]) => !listed.has(address) && moves.some(({ rows }) => rows > 0));
}

/** Addresses without a list that now have many holdings. */
async function findMany(
  db: Reader,
  grown: readonly (readonly [address: AddressId, moves: readonly AssetMove[]])[],
  firstNew: number,
): Promise<[address: number, count: number][]> {
  const holdings = new Map(grown.map(([address, { length }]) => [address, address < firstNew ? 0 : length]));
  const known = [...holdings.keys()].filter((address) => address < firstNew);
  const countIn = (table: string) =>
    db.load<[number, number]>(
      `SELECT address, count(*) FROM ${table} WHERE address IN ($keys) GROUP BY address`,
      known,
    );
  const counts = await settleAll([...new Set(HOLDING_TABLES)].map(countIn));
  for (const [address, count] of counts.flat()) holdings.set(address, (holdings.get(address) ?? 0) + count);
  return [...holdings].filter(([, count]) => count > MAX_UNLISTED);
}

/** Creates lists from holdings. */
async function list(writer: Writer, addresses: readonly number[]): Promise<void> {
  const moves = await readHoldings(writer, addresses);
  const rows = moves.filter(({ by }) => by !== 0).map(({ address, list, asset }): Row => [address, list, asset]);
  await writer.insert("asset", ASSET_COLUMNS, rows);
  const counts = [...movesByAddress(moves, Number.MAX_SAFE_INTEGER)].map(([address, own]): Row => {
    return [address, assetCounts.write(countMoves(NO_ASSETS, own))];
  });
  await writer.insert("asset_count", ["id", "value"], counts);
}

/** As moves, in asset order. */
export async function readHoldings(db: Reader, addresses: readonly number[]): Promise<AssetMove[]> {
  const [tokens, items] = await Promise.all([
    db.load<HoldingRow>(
      `SELECT address, asset, value FROM ${HOLDING_TABLES[ASSET_LISTS.tokens]} WHERE address IN ($keys)`,
      addresses,
    ),
    db.load<[...HoldingRow, item: Bytes]>(
      `WITH held AS MATERIALIZED (SELECT address, asset, value FROM ${HOLDING_TABLES[ASSET_LISTS.items]} WHERE address IN ($keys)) SELECT h.address, h.asset, h.value, i.value FROM held h JOIN item i ON i.id = h.asset`,
      addresses,
    ),
  ]);
  const tokensOf = new Map(items.map(([, item, , value]) => [item, readItem(value).token]));
  const changes = {
    tokens: tokens.map(asHoldingChange),
    items: items.map(([address, item, value]) => asHoldingChange([address, item, value])),
  };
  return allMoves(changes, await ruleOf(db, changes, tokensOf)).sort(byKey);
}

export type HoldingRow = [address: AddressId, asset: number, value: Bytes];

/** Rows as moves. */
export async function movesOfRows(
  db: Reader,
  { tokens = [], items = [] }: { tokens?: readonly HoldingRow[]; items?: readonly HoldingRow[] },
): Promise<AssetMove[]> {
  const changes = { tokens: tokens.map(asHoldingChange), items: items.map(asHoldingChange) };
  return allMoves(changes, await readAssetRule(db, changes));
}

export function asHoldingChange([address, asset, value]: HoldingRow): HoldingChange {
  const { amount } = readHolding(value);
  return { address, asset, before: 0n, after: amount, rows: 1 };
}

/** Skips addresses without a list. */
export async function readCounts(db: Reader, addresses: readonly number[]): Promise<Map<number, AssetCounts>> {
  const rows = await db.load<[number, Bytes]>("SELECT id, value FROM asset_count WHERE id IN ($keys)", addresses);
  return new Map(rows.map(([id, value]) => [id, assetCounts.read(value)]));
}

/** Rule for the tokens and items of some changes. */
export async function readAssetRule(db: Reader, { tokens, items }: HoldingChanges): Promise<AssetRule> {
  const ids = new Set(items.map(({ asset }) => asset));
  const rows = await db.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", [...ids]);
  const tokensOf = new Map(rows.map(([id, value]) => [id, readItem(value).token]));
  return ruleOf(db, { tokens, items }, tokensOf);
}

/** The same where the tokens of items are known. */
async function ruleOf(
  db: Reader,
  { tokens }: HoldingChanges,
  tokensOf: ReadonlyMap<ItemId, AddressId>,
): Promise<AssetRule> {
  const wanted = new Set([...tokens.map(({ asset }) => asset), ...tokensOf.values()]);
  const states = await db.load<[number, Bytes]>("SELECT id, value FROM token WHERE id IN ($keys)", [...wanted]);
  const withItems = new Set(states.filter(([, value]) => readHasItems(value)).map(([id]) => id));
  return {
    hasItems: (token) => withItems.has(token),
    itemOf: (item) => {
      const token = tokensOf.get(item);
      return token !== undefined && withItems.has(token) ? token : undefined;
    },
  };
}
