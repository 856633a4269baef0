import type { BlockNumber, Header } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Ordinal, Position } from "../store/rows/position.ts";
import { blockOf } from "../store/rows/position.ts";
import type { OrdinalList } from "../store/tables/list.ts";
import type { IndexedRange } from "./indexedRange.ts";

/** Top of a list and its block: later pages count down from there while the list grows. */
export interface ListCursor {
  readonly count: number;
  readonly block: BlockNumber;
  /** Last item of the previous page and the number of items up to it. */
  readonly last?: { readonly passed: number; readonly position: Position } | undefined;
}

/** Last item of the previous page of a ranking, and its 1-based rank. */
export interface RankCursor {
  readonly rank: number;
  readonly key: readonly [bigint, number];
}

export interface WalkCursor {
  readonly after: Position;
  /** Block hash if the whole list is within one block. */
  readonly block?: Bytes | undefined;
}

export interface MergeCursor {
  readonly below: readonly Position[];
  readonly last: readonly [block: BlockNumber, index: number, list: number];
}

/** Lists within a block use its hash as cursor. */
export interface PageRequest<C = ListCursor> {
  readonly page: number;
  readonly pageSize: number;
  readonly cursor: C | undefined;
}

export interface PageInfo<C = ListCursor | RankCursor | Bytes> {
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  readonly next: { readonly page: number; readonly cursor: C } | null;
  /** Block the list is consistent with; null while nothing is indexed. */
  readonly block: BlockNumber | null;
  readonly since: BlockNumber | null;
}

/** For a filtered list, without a total. */
export interface WalkInfo<C = WalkCursor> extends Omit<PageInfo<C>, "total"> {
  readonly total: null;
}

/** Ordinals [from, to), newest last. */
export interface PageWindow {
  readonly from: Ordinal;
  readonly to: Ordinal;
  readonly total: number;
  readonly next: number | null;
}

/**
 * Window of a page on a list of `count` entries, newest first. Later pages count down from the cursor's top, so
 * additions do not shift them. If a reorg cut the list below the top, pages keep their place, and the next page is the
 * first that reaches the list.
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

/** Window on an immutable list, oldest first. */
function forwardWindow({ page, pageSize }: PageRequest<unknown>, count: number): PageWindow {
  const from = Math.min((page - 1) * pageSize, count);
  const to = Math.min(from + pageSize, count);
  return { from, to, total: count, next: to < count ? page + 1 : null };
}

/** Positions of a page, newest first. */
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

/** A reorg may have moved newer entries below the cursor. */
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

/** The cursor's block, or the tip if a reorg changed entries below its top. */
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

interface ForwardPage {
  readonly info: PageInfo;
  readonly window: PageWindow;
}

/**
 * A page within one block. The cursor is the block hash, since another block may have other contents. Pending
 * transactions are in no block.
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

export async function readForwardPage(
  list: OrdinalList,
  range: IndexedRange | undefined,
  request: PageRequest,
): Promise<{ info: PageInfo; positions: Position[] }> {
  const { info, window } = pageOfTransaction(await list.count(), range, request);
  return { info, positions: await list.slice(window.from, window.to) };
}

/** A page of the transaction's own data, independent of its block. */
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

/** `last` is the key of the last item if others follow. */
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

/** First item after the cursor, whatever its current rank. */
export function firstAfterCursor(
  items: readonly { readonly key: RankCursor["key"] }[],
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): number {
  if (cursor === undefined) return (page - 1) * pageSize;
  const [first, second] = cursor.key;
  const found = items.findIndex(({ key }) => key[0] > first || (key[0] === first && key[1] > second));
  return found < 0 ? items.length : found;
}
