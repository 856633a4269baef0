import type { BlockNumber, Header } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Ordinal, Position } from "../store/rows/position.ts";
import { blockOf } from "../store/rows/position.ts";
import type { OrdinalList } from "../store/tables/list.ts";
import type { IndexedRange } from "./indexedRange.ts";

/** The top of a list and the block it was read at: later pages count down from there while the list grows. */
export interface ListCursor {
  readonly count: number;
  readonly block: BlockNumber;
  /** The last item that came before, and how many items a walk of pages of one size has passed with it. */
  readonly last?: { readonly passed: number; readonly position: Position } | undefined;
}

/** The last item of the page before, in a list that is no sequence in time, and its rank counted from 1. */
export interface RankCursor {
  readonly rank: number;
  /** What the list is ordered by, and then by. */
  readonly key: readonly [bigint, number];
}

/** The last item that was looked at, in a list of which only some are wanted. */
export interface WalkCursor {
  readonly after: Position;
  /** The hash of the block that all of the list is in, where that is one. */
  readonly block?: Bytes | undefined;
}

/** How far a walk has come in each of several lists that are read as one. */
export interface MergeCursor {
  readonly below: readonly Position[];
  /** The last item that was looked at: its block, the index of its transaction, and the list that it is of. */
  readonly last: readonly [block: BlockNumber, index: number, list: number];
}

/** Which page is asked for. The cursor of a list that belongs to one block is the hash of that block. */
export interface PageRequest<C = ListCursor> {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly cursor: C | undefined;
}

/** Where a page stands in its list. */
export interface PageInfo<C = ListCursor | RankCursor | Bytes> {
  readonly page: number;
  readonly pageSize: number;
  /** Items of the whole list. */
  readonly total: number;
  /** The page to go on with, and what holds it to the list as it is. */
  readonly next: { readonly page: number; readonly cursor: C } | null;
  /** The indexed block the list is true at; null while nothing is indexed. */
  readonly block: BlockNumber | null;
  /** The first indexed block, where the list begins. */
  readonly since: BlockNumber | null;
}

/** Where a page stands in a list whose items are found by looking at one after another. How many there are is not known. */
export interface WalkInfo<C = WalkCursor> extends Omit<PageInfo<C>, "total"> {
  readonly total: null;
}

/** The ordinals [from, to) of a list that a page shows, newest last. */
export interface PageWindow {
  readonly from: Ordinal;
  readonly to: Ordinal;
  /** The items the walk covers. */
  readonly total: number;
  readonly next: number | null;
}

/**
 * Finds a page on a list of `count` entries, newest first. Pages of a walk count down from the cursor's top, so that
 * entries added meanwhile move nothing. A reorg may have cut the list below that top: pages stay where they were,
 * or entries under the cut would be skipped, and the next page is the one that reaches the list.
 */
export function pageWindow({ page, pageSize, cursor }: PageRequest, count: number): PageWindow {
  const top = cursor?.count ?? count;
  const to = Math.min(Math.max(top - (page - 1) * pageSize, 0), count);
  const bottom = top - page * pageSize;
  const reaching = Math.floor((top - count) / pageSize) + 1;
  const hasMore = bottom > 0 && count > 0;
  return {
    from: Math.min(Math.max(bottom, 0), to),
    to,
    total: Math.min(top, count),
    next: hasMore ? Math.max(page + 1, reaching) : null,
  };
}

/** Finds a page on a list that does not grow, oldest first. */
function forwardWindow({ page, pageSize }: PageRequest<unknown>, count: number): PageWindow {
  const from = Math.min((page - 1) * pageSize, count);
  const to = Math.min(from + pageSize, count);
  return { from, to, total: count, next: to < count ? page + 1 : null };
}

/** A page of a list by ordinal: its positions, newest first, and where it stands in the list. */
export async function readListPage(
  list: OrdinalList,
  range: IndexedRange | undefined,
  request: PageRequest,
): Promise<{ info: PageInfo; positions: Position[] }> {
  const window = pageWindow(request, await list.count());
  const positions = (await list.slice(window.from, window.to)).filter((position) => isBelow(position, request));
  const cursor = nextCursor(request, window, positions[0], range);
  const block = range === undefined ? null : await trueAt(list, range.tip.number, request, window);
  return { info: { ...infoOf(window, request, range, cursor), block }, positions: positions.reverse() };
}

/** A reorg may have put what is higher on the chain in the place of what comes after the last item. */
function isBelow(position: Position, { cursor }: PageRequest): boolean {
  return cursor?.last === undefined || position < cursor.last.position;
}

function nextCursor(
  { cursor, pageSize }: PageRequest,
  { total, next }: PageWindow,
  lowest: Position | undefined,
  range: IndexedRange | undefined,
): ListCursor {
  const { count, block, last } = cursor ?? { count: total, block: range?.tip.number ?? 0 };
  const position = lowest ?? last?.position;
  if (next === null || position === undefined) return { count, block };
  return { count, block, last: { passed: (next - 1) * pageSize, position } };
}

/** The cursor's block, unless a reorg has put later blocks' entries below its top: then the list is the tip's. */
async function trueAt(
  list: OrdinalList,
  tip: BlockNumber,
  request: PageRequest,
  window: PageWindow,
): Promise<BlockNumber> {
  const { cursor } = request;
  if (cursor === undefined || cursor.block >= tip) return tip;
  const [top] = await list.slice(window.total - 1, window.total);
  return top === undefined || blockOf(top) <= cursor.block ? cursor.block : tip;
}

/** A page of a list that does not grow: the ordinals it shows, oldest first, and where it stands in the list. */
export interface ForwardPage {
  readonly info: PageInfo;
  readonly window: PageWindow;
}

/**
 * A page of what is in one block, or of what a transaction did in it. A walk is held to the block it began in, by its hash:
 * in another one there may be something else. A pending transaction is in no block.
 */
export function pageInBlock(
  count: number,
  range: IndexedRange | undefined,
  request: PageRequest<Bytes>,
  header: Header | undefined,
): ForwardPage {
  const { cursor } = request;
  const isThere = cursor === undefined || (header !== undefined && equalBytes(cursor, header.hash));
  if (!isThere) throw new ChainError("not_found", "the block that the walk began in is gone");
  const window = forwardWindow(request, count);
  return { window, info: infoOf(window, request, range, header?.hash) };
}

/** A page of a list by ordinal in the order that it has: its positions, and where it stands. */
export async function readForwardPage(
  list: OrdinalList,
  range: IndexedRange | undefined,
  request: PageRequest,
): Promise<{ info: PageInfo; positions: Position[] }> {
  const { info, window } = pageOfTransaction(await list.count(), range, request);
  return { info, positions: await list.slice(window.from, window.to) };
}

/** A page of what a transaction says itself, in whatever block. */
export function pageOfTransaction(count: number, range: IndexedRange | undefined, request: PageRequest): ForwardPage {
  const window = forwardWindow(request, count);
  const cursor = request.cursor ?? { count, block: range?.tip.number ?? 0 };
  return { window, info: infoOf(window, request, range, cursor) };
}

function infoOf<C>(
  { total, next }: PageWindow,
  { page, pageSize }: PageRequest<unknown>,
  range: IndexedRange | undefined,
  cursor: C | undefined,
): PageInfo<C> {
  return {
    page,
    pageSize,
    total,
    next: next === null || cursor === undefined ? null : { page: next, cursor },
    block: range?.tip.number ?? null,
    since: range?.first ?? null,
  };
}

/** Where a page of a ranking stands; `last` is the key of its last item where others follow. */
export function rankedPageInfo(
  { page, pageSize }: PageRequest<RankCursor>,
  range: IndexedRange | undefined,
  total: number,
  last: RankCursor["key"] | undefined,
): PageInfo<RankCursor> {
  return {
    page,
    pageSize,
    total,
    next: last === undefined ? null : { page: page + 1, cursor: { rank: page * pageSize, key: last } },
    block: range?.tip.number ?? null,
    since: range?.first ?? null,
  };
}

/** Of items in the order of their keys, the first that a page shows: after its cursor, wherever that is by now. */
export function firstAfterCursor(
  items: readonly { readonly key: RankCursor["key"] }[],
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): number {
  if (cursor === undefined) return (page - 1) * pageSize;
  const [first, second] = cursor.key;
  const found = items.findIndex(({ key }) => key[0] > first || (key[0] === first && key[1] > second));
  return found < 0 ? items.length : found;
}
