import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeFilter, PoolFilter } from "../exchange/valuedPools.ts";
import type { PoolCriteria } from "./poolCriteria.ts";
import { filterPools } from "./poolCriteria.ts";
import type { PoolSort } from "./poolOrder.ts";
import { sortedPools } from "./poolOrder.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { poolsOfUser, readPools } from "./poolRecords.ts";

interface PoolPage {
  readonly pools: readonly PoolRecord[];
  readonly owned: ReadonlySet<number>;
  readonly total: number;
  readonly sort: PoolSort;
}

interface PoolPageRequest extends PoolCriteria {
  readonly page: number;
  readonly pageSize: number;
  readonly filter: PoolFilter;
  readonly exchanges: ExchangeFilter;
  readonly user: Bytes | undefined;
  /** By value if undefined, or by transactions where nothing has a value. */
  readonly sort?: PoolSort | undefined;
  readonly isAscending?: boolean | undefined;
}

export function listPools({ exchange }: QueryContext, request: PoolPageRequest): Promise<PoolPage> {
  const { page, pageSize, user, isAscending = false } = request;
  return exchange.read(async (session, view) => {
    const { dollars, coins } = view.valued;
    const hasAnchors = dollars.anchors.size + coins.anchors.size > 0;
    const sort = request.sort ?? (hasAnchors ? "tvl" : "transactions");
    const list = await sortedPools(view, exchange.settings, request, request.sort ?? "tvl");
    const found = await filterPools(session, exchange, view, list, request);
    const inOrder = (from: number, to: number) =>
      isAscending
        ? found.slice(Math.max(found.length - to, 0), Math.max(found.length - from, 0)).reverse()
        : found.slice(from, to);
    const shown = inOrder((page - 1) * pageSize, page * pageSize).map(({ pool }) => pool);
    const [pools, owned] = await Promise.all([
      readPools(session, view, exchange.settings, shown),
      poolsOfUser(session, view, shown, user),
    ]);
    return { pools, owned, total: found.length, sort };
  });
}
