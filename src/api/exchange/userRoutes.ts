import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { listLiquidity } from "../../query/pools/liquidityHistory.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { PositionName } from "../../query/pools/positionName.ts";
import { parsePositionName } from "../../query/pools/positionName.ts";
import { listProfits } from "../../query/pools/profits.ts";
import { listUserPositions } from "../../query/pools/userPositions.ts";
import type { Shape } from "../openapi/values.ts";
import { LiquidityEventsSchema, ProfitsSchema } from "./liquiditySchema.ts";
import { PAGE_ITEMS, PAGE_NUM, POSITION, USER_ADDRESS } from "./parameters.ts";
import type { Query } from "./parse.ts";
import { BadRequest, parseAddress, parsePage } from "./parse.ts";
import { presentLiquidity, presentProfit } from "./presentLiquidity.ts";
import { presentUserPosition } from "./presentUserPosition.ts";
import type { ExchangeRoute } from "./route.ts";
import { DONE, expectFound } from "./route.ts";
import { UserPositionsSchema } from "./userSchema.ts";

/** A page asks the node for the fees of each position, or looks for past prices of each event. */
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
      const { page, pageSize } = parseUserPage(query);
      const found = await listUserPositions(network, parseAddress(parameter, "address"), { page, pageSize });
      const { positions = [], total = 0, block = 0 } = found ?? {};
      const meta = { count: positions.length, page_num: page, page_size: pageSize, total, block_number: block };
      return { data: positions.map(presentUserPosition), meta, ...DONE };
    },
  },
  {
    path: "/users/{address}/liquidity",
    summary: "a page of the [history](#liquidity-event) of a position of a user: liquidity and fees that came and went",
    parameters: [USER_ADDRESS, POSITION, PAGE_NUM, PAGE_ITEMS],
    schema: LiquidityEventsSchema,
    serve: async ({ network }, { parameter, query }) => {
      const { page, pageSize } = parseUserPage(query);
      const user = parseAddress(parameter, "address");
      const found = expectFound(await listLiquidity(network, user, parsePosition(query), { page, pageSize }));
      const { record, events, total, block } = found;
      const { pool, token0, token1 } = record;
      const meta = {
        pool: poolIdOf(pool),
        token0: checksumAddress(token0.listed.address),
        token1: checksumAddress(token1.listed.address),
        ...{ count: events.length, total, page_num: page, page_size: pageSize, block_number: block },
      };
      return { data: events.map((event) => presentLiquidity(record, event)), meta, ...DONE };
    },
  },
  {
    path: "/users/{address}/profits",
    summary: "what the positions of that page [gave](#profit) against holding their tokens",
    parameters: [USER_ADDRESS, PAGE_NUM, PAGE_ITEMS],
    schema: ProfitsSchema,
    scopeOf: (response) => {
      const { data } = response as Shape<typeof ProfitsSchema>;
      return data.some(({ worthUsd }) => worthUsd === null) ? undefined : "state";
    },
    serve: async ({ network }, { parameter, query }) => {
      const { page, pageSize } = parseUserPage(query);
      const found = await listProfits(network, parseAddress(parameter, "address"), { page, pageSize });
      const { profits = [], total = 0, block = 0 } = found ?? {};
      const meta = { count: profits.length, total, page_num: page, page_size: pageSize, block_number: block };
      return { data: profits.map(presentProfit), meta, ...DONE };
    },
  },
];

function parseUserPage(query: Query) {
  const { page, pageSize } = parsePage(query);
  return { page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) };
}

function parsePosition({ position }: Query): PositionName {
  const name = typeof position === "string" ? parsePositionName(position) : undefined;
  if (name === undefined) throw new BadRequest("position must be the id of one of the user's positions");
  return name;
}
