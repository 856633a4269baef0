import type { AddressBytes } from "../../chain/encoding/bytes.ts";
import { isZero } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { isSolidly } from "../../chain/exchange/exchangeFields.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import { ERC20_TRANSFER_TOPIC } from "../../chain/token/events/erc20.ts";
import { readEventLogs, readLogsInBlocks } from "../../store/read/eventLogs.ts";
import type { Position } from "../../store/rows/position.ts";
import { blockOf, logPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Amounts } from "../../store/stages/exchange/position.ts";
import { ZERO_ADDRESS_ID } from "../../store/stages/tokens/tables/transferIds.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { logKey, readClaim, readShareLogs } from "./shareLogs.ts";

export const SHARE_EVENT_TYPES = ["mint", "burn", "collect", "transfer_in", "transfer_out"] as const;

/** Something that happened to the shares of a user. */
export interface ShareEvent {
  readonly type: (typeof SHARE_EVENT_TYPES)[number];
  /** Of its log. */
  readonly position: Position;
  /** Undefined for claimed fees. */
  readonly shares: bigint | undefined;
  /** Undefined for shares that changed hands. */
  readonly amounts: Amounts | undefined;
}

/** Transfers of shares of a user, and claims of a pool, that are looked at. */
export const MAX_SHARE_EVENTS = 1000;

/** Logs of the pool that are looked at for each of these, in their blocks. */
const LOGS_EACH = 20;

const EVENTS = ["mintV2", "burnV2", "burnSolidly"] as const;
const SIGNATURES = [ERC20_TRANSFER_TOPIC, ...EVENTS.map((event) => EXCHANGE_TOPICS[event])];

/** All of them, newest first; undefined where they are more than are looked at. */
export async function readShareEvents(
  session: ReadSession,
  view: ExchangeView,
  pool: ListedPool,
  user: AddressBytes,
  limit = MAX_SHARE_EVENTS,
): Promise<readonly ShareEvent[] | undefined> {
  const [changes, claims] = await Promise.all([
    readChanges(session, view, pool, user, limit),
    isSolidly(pool.type) ? readClaims(session, pool, user, limit) : [],
  ]);
  if (changes === undefined || claims === undefined) return undefined;
  return [...changes, ...claims].sort((one, other) => other.position - one.position);
}

interface Transfer {
  readonly key: string;
  readonly position: Position;
  readonly isIn: boolean;
  readonly isOfPool: boolean;
  readonly amount: bigint;
}

async function readChanges(
  session: ReadSession,
  view: ExchangeView,
  pool: ListedPool,
  user: AddressBytes,
  limit: number,
): Promise<ShareEvent[] | undefined> {
  const transfers = await readTransfers(session, view, pool, user, limit);
  if (transfers === undefined) return undefined;
  const blocks = new Set(transfers.flatMap(({ isOfPool, position }) => (isOfPool ? [blockOf(position)] : [])));
  const positions = await readLogsInBlocks(session, pool.address, SIGNATURES, {
    blocks,
    limit: LOGS_EACH * limit,
  });
  if (positions === undefined) return undefined;
  const { minted, burnt } = readShareLogs(pool.address, await session.logs.at(positions));
  return transfers.map(({ key, position, isIn, amount: shares }): ShareEvent => {
    const amounts = isIn ? minted.get(key) : burnt.get(key);
    const type = amounts === undefined ? (isIn ? "transfer_in" : "transfer_out") : isIn ? "mint" : "burn";
    return { type, position, shares, amounts };
  });
}

/** Shares that came or went; those of the zero address are not listed. */
async function readTransfers(
  session: ReadSession,
  { balances }: ExchangeView,
  pool: ListedPool,
  user: AddressBytes,
  limit: number,
): Promise<Transfer[] | undefined> {
  const [holder, issuer] = await Promise.all([session.addresses.id(user), session.addresses.id(pool.address)]);
  const token = balances.ids.get(pool.hex);
  if (isZero(user) || holder === undefined || token === undefined) return [];
  const positions = await session.tokens.transfers.ofPair(holder, token).slice(0, limit + 1);
  if (positions.length > limit) return undefined;
  const stored = await session.tokens.transfers.stored(positions);
  return positions.flatMap((at): Transfer[] => {
    const one = stored.get(at);
    if (one === undefined || one.kind !== "ERC-20" || one.isWrap || one.from === one.to) return [];
    const { from, to, logIndex, transactionIndex } = one;
    const [block, isIn] = [blockOf(at), to === holder];
    return [
      {
        key: logKey(block, logIndex),
        position: logPosition(block, transactionIndex, logIndex),
        isIn,
        isOfPool: isIn ? from === ZERO_ADDRESS_ID : to === issuer,
        amount: uintToBigInt(one.amount),
      },
    ];
  });
}

/** Fees that a user claimed. */
async function readClaims(session: ReadSession, pool: ListedPool, user: AddressBytes, limit: number) {
  const part = { skipped: 0, count: limit };
  const { total, positions } = await readEventLogs(session, pool.address, [EXCHANGE_TOPICS.claim], part);
  if (total > limit) return undefined;
  const logs = await session.logs.at(positions);
  return logs.flatMap((log, at): ShareEvent[] => {
    const amounts = readClaim(log, user);
    return amounts === undefined ? [] : [{ type: "collect", position: positions[at]!, shares: undefined, amounts }];
  });
}
