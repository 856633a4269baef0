import { cacheable, cacheScopeOf } from "../http/responseCache.ts";
import type { AppSettings } from "../settings.ts";
import type { Envelope } from "./envelope.ts";
import type { Query } from "./params.ts";
import { MAX_PAGE_SIZE } from "./params.ts";

/** Blockscout compatibility: some lists have no envelope. */
export function shapeList(list: Envelope<object>, { compat }: Pick<AppSettings, "compat">): object {
  if (compat !== "blockscout") return list;
  return cacheable(cacheScopeOf(list), list.items);
}

/** A bare list cannot signal further pages, so its default size is the maximum. */
export function wholeList(query: Query, { compat }: Pick<AppSettings, "compat">): Query {
  const isSized = query.page_size !== undefined || query.items_count !== undefined;
  return compat !== "blockscout" || isSized ? query : { ...query, page_size: String(MAX_PAGE_SIZE) };
}
