import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isSingleton, isSolidly } from "../../chain/exchange/exchangeFields.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Amounts } from "../../store/stages/exchange/position.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { sidesIn } from "../exchange/valuedPools.ts";
import type { ListPage } from "./exchangeTokens.ts";
import { knownWorth } from "./pastValues.ts";
import type { ShareEvent } from "./readShares.ts";
import { MAX_SHARE_EVENTS, readShareEvents } from "./readShares.ts";
import type { UserPosition } from "./userPositions.ts";
import { listUserPositions } from "./userPositions.ts";

/** `transferred`: it, or a part of it, changed hands for what the chain does not say. */
export const COSTS = ["known", "transferred", "unknown"] as const;

/** What a position gave against holding its tokens. */
export interface Profit {
  readonly position: UserPosition;
  readonly cost: (typeof COSTS)[number];
  /** Of all time; undefined where events do not tell. */
  readonly deposited: Amounts | undefined;
  readonly withdrawn: Amounts | undefined;
  /** Earned of all time, collected or not; undefined where they are part of the shares, or not known. */
  readonly fees: Amounts | undefined;
  /** At the prices of now, in units of 1 / SCALE dollars; undefined if something of it is not known. */
  readonly worth: bigint | undefined;
  readonly held: bigint | undefined;
  readonly profit: bigint | undefined;
  /** Of what was deposited. */
  readonly put: bigint | undefined;
}

interface ProfitPage {
  readonly profits: readonly Profit[];
  readonly total: number;
  readonly block: number;
}

/** Transfers of shares that a page looks at, in equal parts for its pairs. */
const MAX_PAGE_EVENTS = 4000;

type Flows = Pick<Profit, "cost" | "deposited" | "withdrawn" | "fees">;

const UNKNOWN: Flows = { cost: "unknown", deposited: undefined, withdrawn: undefined, fees: undefined };

/** Of the positions of a user, in their order; undefined without an index. */
export async function listProfits(context: QueryContext, user: Hex, page: ListPage): Promise<ProfitPage | undefined> {
  const found = await listUserPositions(context, user, page);
  if (found === undefined) return undefined;
  const { positions, total, block, view } = found;
  const pairs = positions.filter((one) => one.position === undefined).length;
  const limit = Math.min(MAX_SHARE_EVENTS, Math.floor(MAX_PAGE_EVENTS / Math.max(pairs, 1)));
  const flows = await context.store.read(async (session) => {
    // Meanwhile the chain may have gone on, or back.
    const hash = (await session.blocks.stamps([block])).get(block)?.hash;
    if (hash === undefined || !equalBytes(hash, found.hash)) return [];
    return Promise.all(positions.map((one) => readFlows(session, view, one, { user: fromHex(user), block, limit })));
  });
  const profits = positions.map((position, at) => valued(view, position, flows[at] ?? UNKNOWN));
  return { profits, total, block };
}

async function readFlows(
  session: ReadSession,
  view: ExchangeView,
  position: UserPosition,
  { user, block, limit }: { readonly user: AddressBytes; readonly block: number; readonly limit: number },
): Promise<Flows> {
  if (position.position !== undefined) return flowsOfRange(position);
  const events = await readShareEvents(session, view, position.record.pool, user, limit);
  if (events === undefined) return UNKNOWN;
  return flowsOfShares(
    position,
    events.filter((event) => blockOf(event.position) <= block),
  );
}

/** Fees leave a position of V4 without an event. */
function flowsOfRange({ position, record, uncollected }: UserPosition): Flows {
  if (position === undefined) return UNKNOWN;
  const { added, removed, collected, transfers } = position;
  const cost = transfers > 0 ? "transferred" : "known";
  if (isSingleton(record.pool.type)) {
    return { ...UNKNOWN, cost: transfers > 0 ? cost : "unknown", deposited: added };
  }
  const fees = uncollected && minus(plus(collected, uncollected), removed);
  return { cost, deposited: added, withdrawn: collected, fees };
}

/** Shares that neither came by a deposit nor went by a withdrawal have no known cost. */
function flowsOfShares({ liquidity, record, uncollected }: UserPosition, events: readonly ShareEvent[]): Flows {
  const sum = (type: ShareEvent["type"]) =>
    events.reduce<Amounts>((all, one) => (one.type === type && one.amounts ? plus(all, one.amounts) : all), [0n, 0n]);
  const isIn = ({ type }: ShareEvent) => type === "mint" || type === "transfer_in";
  const shares = events.reduce((all, one) => all + (isIn(one) ? 1n : -1n) * (one.shares ?? 0n), 0n);
  const isMoved = events.some(({ type }) => type === "transfer_in" || type === "transfer_out");
  const claimed = sum("collect");
  return {
    cost: isMoved ? "transferred" : shares === liquidity ? "known" : "unknown",
    deposited: sum("mint"),
    withdrawn: plus(sum("burn"), claimed),
    fees: isSolidly(record.pool.type) && uncollected ? plus(claimed, uncollected) : undefined,
  };
}

function valued(view: ExchangeView, position: UserPosition, flows: Flows): Profit {
  const { record, amount0, amount1, uncollected } = position;
  const { pool } = record;
  const { cost, deposited, withdrawn } = flows;
  const sides = sidesIn(view.valued.dollars, pool);
  // Only the code of a known exchange is believed where it is about money.
  const isKnown = pool.isNamed && cost === "known";
  const worth = pool.isNamed && uncollected ? knownWorth(plus([amount0, amount1], uncollected), sides) : undefined;
  const held = isKnown && deposited && withdrawn ? knownWorth(minus(deposited, withdrawn), sides) : undefined;
  const profit = worth === undefined || held === undefined ? undefined : worth - held;
  const put = profit === undefined || deposited === undefined ? undefined : knownWorth(deposited, sides);
  return { position, ...flows, worth, held, profit, put };
}

const plus = ([a0, a1]: Amounts, [b0, b1]: Amounts): Amounts => [a0 + b0, a1 + b1];
const minus = ([a0, a1]: Amounts, [b0, b1]: Amounts): Amounts => [a0 - b0, a1 - b1];
