import type { MergeCursor, PageInfo, WalkInfo } from "../../query/pages.ts";
import type { Shape } from "../openapi/values.ts";
import type { ListSchema } from "./listSchema.ts";
import { writeCursor } from "./params.ts";

export interface Envelope<T> extends Shape<typeof ListSchema> {
  readonly items: readonly T[];
}

/** Specification, section 2.1, and the cursor that existing clients send back. */
export function presentPage<T>(items: readonly T[], info: PageInfo | WalkInfo | WalkInfo<MergeCursor>): Envelope<T> {
  const { page, pageSize, total, next, block, since } = info;
  return {
    items,
    page,
    page_size: pageSize,
    total_pages: total === null ? null : Math.ceil(total / pageSize),
    total_count: total,
    next_page_params: next && { page: next.page, page_size: pageSize, anchor: writeCursor(next.cursor) },
    block_number: block,
    since_block: since,
  };
}
