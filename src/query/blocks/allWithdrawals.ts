import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { Position } from "../../store/rows/position.ts";
import { blockOf, firstPosition, slotOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { ListWalk } from "../listWalk.ts";
import { walkPage } from "../listWalk.ts";
import type { PageRequest, WalkCursor, WalkInfo } from "../pages.ts";
import type { WithdrawalPage } from "./withdrawals.ts";
import { payWithdrawal } from "./withdrawals.ts";

/**
 * All withdrawals, or those of an address, newest first. There is no index of them: blocks are scanned. Positions are
 * those of the block, then of its withdrawals.
 */
export async function listAllWithdrawals(
  { store }: QueryContext,
  receiver: Bytes | undefined,
  request: PageRequest<WalkCursor>,
): Promise<WithdrawalPage<WalkInfo>> {
  const walk: ListWalk = { next: nextPositions, select: (session, positions) => select(session, positions, receiver) };
  const { found, info } = await walkPage(store, walk, request, async (session, positions) => {
    const headers = await headersOf(session, positions);
    const withdrawals = positions.map((position) => {
      const header = mustHave(headers.get(blockOf(position)), `block ${blockOf(position)}`);
      return payWithdrawal(mustHave(withdrawalAt(header, position), "a withdrawal"), header);
    });
    return { withdrawals, addresses: await session.addresses.infos(withdrawals.map(({ address }) => address)) };
  });
  return { ...found, info, scope: "index" };
}

async function nextPositions(session: ReadSession, after: Position | undefined, count: number): Promise<Position[]> {
  const range = await readIndexedRange(session);
  if (range === undefined) return [];
  const highest = after === undefined ? range.tip.number : Math.min(blockOf(after), range.tip.number);
  const lowest = Math.max(range.first, highest - count);
  const numbers = Array.from({ length: Math.max(highest - lowest + 1, 0) }, (_, at) => highest - at);
  const headers = await session.blocks.headers(numbers);
  const positions: Position[] = [];
  for (const number of numbers) {
    const paid = headers.get(number)?.header.withdrawals?.length ?? 0;
    for (let slot = paid; slot >= 0 && positions.length < count; slot--) {
      const position = firstPosition(number) + slot;
      if (after === undefined || position < after) positions.push(position);
    }
  }
  return positions;
}

async function select(
  session: ReadSession,
  positions: readonly Position[],
  receiver: Bytes | undefined,
): Promise<Position[]> {
  const headers = await headersOf(session, positions);
  return positions.filter((position) => {
    const header = headers.get(blockOf(position));
    const withdrawal = header && withdrawalAt(header, position);
    return withdrawal !== undefined && (receiver === undefined || equalBytes(withdrawal.address, receiver));
  });
}

async function headersOf({ blocks }: ReadSession, positions: readonly Position[]): Promise<Map<number, Header>> {
  const found = await blocks.headers(new Set(positions.map(blockOf)));
  return new Map([...found].map(([number, { header }]) => [number, header]));
}

const withdrawalAt = ({ withdrawals = [] }: Header, position: Position) => withdrawals[slotOf(position) - 1];
