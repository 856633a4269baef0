import { listUserPositions } from "../../query/pools/userPositions.ts";
import type { Shape } from "../openapi/values.ts";
import { PAGE_ITEMS, PAGE_NUM, USER_ADDRESS } from "./parameters.ts";
import { parseAddress, parsePage } from "./parse.ts";
import { presentUserPosition } from "./presentUserPosition.ts";
import type { ExchangeRoute } from "./route.ts";
import { DONE } from "./route.ts";
import { UserPositionsSchema } from "./userSchema.ts";

/** A page asks the node for the fees of each position. */
const MAX_PAGE_SIZE = 50;

/** Beyond the specification. */
export const USER_ROUTES: readonly ExchangeRoute[] = [
  {
    path: "/users/{address}/positions",
    summary: "a page of the [positions](#user-position) of a user: shares of pairs, then V3 positions with liquidity",
    parameters: [USER_ADDRESS, PAGE_NUM, PAGE_ITEMS],
    schema: UserPositionsSchema,
    // A node that did not answer may do so later.
    scopeOf: (response) => {
      const { data } = response as Shape<typeof UserPositionsSchema>;
      return data.some(({ uncollected0 }) => uncollected0 === null) ? undefined : "state";
    },
    serve: async ({ network }, { parameter, query }) => {
      const { page, pageSize: asked } = parsePage(query);
      const pageSize = Math.min(asked, MAX_PAGE_SIZE);
      const found = await listUserPositions(network, parseAddress(parameter, "address"), { page, pageSize });
      const { positions = [], total = 0, block = 0 } = found ?? {};
      const meta = { count: positions.length, page_num: page, page_size: pageSize, total, block_number: block };
      return { data: positions.map(presentUserPosition), meta, ...DONE };
    },
  },
];
