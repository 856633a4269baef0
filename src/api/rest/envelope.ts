import type { Shape } from "../openapi/values.ts";
import type { ListSchema } from "./listSchema.ts";
import type { PageRequest, RankCursor } from "./params.ts";
import { writeRankCursor } from "./params.ts";

/** The ordinals [from, to) of a list that a page shows, newest last, and what the envelope says of them. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** The items the walk covers. */
  readonly total: number;
  readonly next: number | null;
}

/**
 * Places a page on a list of `count` entries, newest first. Pages of a walk count down from the anchor's top, so that
 * entries added meanwhile move nothing. A reorg may have cut the list below that top: pages stay where they were,
 * or entries under the cut would be skipped, and the next page is the one that reaches the list.
 */
export function placePage({ page, pageSize, anchor }: PageRequest, count: number): Window {
  const top = anchor?.count ?? count;
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

/** Places a page on a list that does not grow, oldest first. */
export function placeForward({ page, pageSize }: PageRequest<unknown>, count: number): Window {
  const from = Math.min((page - 1) * pageSize, count);
  const to = Math.min(from + pageSize, count);
  return { from, to, total: count, next: to < count ? page + 1 : null };
}

export interface Envelope<T> extends Shape<typeof ListSchema> {
  readonly items: readonly T[];
}

export interface Placed {
  readonly request: PageRequest<unknown>;
  readonly window: Window;
  /** What later pages of this walk hold on to. */
  readonly anchor: string;
  readonly block: number | null;
  readonly since: number | null;
}

export function presentList<T>(items: readonly T[], { request, window, anchor, block, since }: Placed): Envelope<T> {
  const { next, total } = window;
  return wrap(items, {
    request,
    total,
    next: next === null ? null : { page: next, anchor },
    block,
    since,
  });
}

/** A page of a list that has no dense ordinals, and what lies around it. */
export interface Ranked {
  readonly request: PageRequest<RankCursor>;
  readonly total: number;
  /** The key of the last item, where others follow. */
  readonly last: RankCursor["key"] | undefined;
  readonly block: number | null;
  readonly since: number | null;
}

export function presentRanked<T>(items: readonly T[], { request, total, last, block, since }: Ranked): Envelope<T> {
  const { page, pageSize } = request;
  const next = last && { page: page + 1, anchor: writeRankCursor({ rank: page * pageSize, key: last }) };
  return wrap(items, { request, total, next: next ?? null, block, since });
}

interface Around {
  readonly request: { readonly page: number; readonly pageSize: number };
  readonly total: number;
  readonly next: { readonly page: number; readonly anchor: string } | null;
  readonly block: number | null;
  readonly since: number | null;
}

/** Specification, section 2.1, and beside it the cursor that existing clients send back. */
function wrap<T>(items: readonly T[], { request, total, next, block, since }: Around): Envelope<T> {
  const { page, pageSize } = request;
  return {
    items,
    page,
    page_size: pageSize,
    total_pages: Math.ceil(total / pageSize),
    total_count: total,
    next_page_params: next && { page: next.page, page_size: pageSize, anchor: next.anchor },
    block_number: block,
    since_block: since,
  };
}
