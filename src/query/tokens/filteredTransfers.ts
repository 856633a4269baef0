import type { Bytes } from "../../chain/encoding/bytes.ts";
import { isZero } from "../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import type { Position } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import { ZERO_ADDRESS_ID } from "../../store/stages/tokens/tables/transferIds.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import type { ListWalk } from "../listWalk.ts";
import { expectSameBlock, positionsAfter, walkPage } from "../listWalk.ts";
import type { PageRequest, WalkCursor, WalkInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { TimeSpan } from "../timeSpan.ts";
import { positionsIn } from "../timeSpan.ts";
import type { TransferPage } from "./transfers.ts";
import { describePage, loadRelated, transfersOfAddress, transfersOfPair } from "./transfers.ts";

interface TransferSelection {
  readonly kinds?: readonly TokenKind[] | undefined;
  readonly party?: { readonly address: Bytes; readonly role: "from" | "to" } | undefined;
}

export function listTransfersOf(
  context: QueryContext,
  selection: TransferSelection,
  request: PageRequest<WalkCursor>,
): Promise<TransferPage<WalkInfo>> {
  return walkTransfers(context, selection, request, ({ tokens }, after, count) => tokens.transfers.below(after, count));
}

/** Of a token, or of all, in a time; newest first. */
export function listTransfersIn(
  context: QueryContext,
  token: Bytes | undefined,
  span: TimeSpan,
  request: PageRequest<WalkCursor>,
): Promise<TransferPage<WalkInfo>> {
  return walkTransfers(context, {}, request, async (session, after, count) => {
    const { top, lowest } = await positionsIn(session, span);
    const list = token && ((await session.tokens.transfers.ofTokenAt(token)) ?? NO_LIST);
    const found = await (list === undefined
      ? session.tokens.transfers.below(after ?? top, count)
      : positionsAfter(list, "desc", after ?? top, count));
    return found.filter((position) => position >= lowest);
  });
}

export function listAddressTransfersOf(
  context: QueryContext,
  address: Bytes,
  token: Bytes | undefined,
  selection: TransferSelection,
  request: PageRequest<WalkCursor>,
): Promise<TransferPage<WalkInfo>> {
  return walkTransfers(context, selection, request, async (session, after, count) => {
    const list = await (token === undefined
      ? transfersOfAddress(session, address)
      : transfersOfPair(session, address, token));
    return positionsAfter(list, "desc", after, count);
  });
}

/** In log order; undefined if not indexed. */
export async function listTransactionTransfersOf(
  context: QueryContext,
  hash: Bytes,
  selection: TransferSelection,
  request: PageRequest<WalkCursor>,
): Promise<TransferPage<WalkInfo> | undefined> {
  const mined = await context.store.read(({ transactions }) => transactions.byHash(hash));
  if (mined === undefined) return undefined;
  const { number, hash: block } = mined.block.header;
  return walkTransfers(
    context,
    selection,
    request,
    async (session, after, count) => {
      await expectSameBlock(session, number, request.cursor?.block ?? block);
      const list = session.tokens.transfers.ofTransaction(number, mined.index);
      const [first = 0] = await list.slice(0, 1);
      const from = after === undefined ? 0 : after + 1 - first;
      return list.slice(from, from + count);
    },
    block,
  );
}

async function walkTransfers(
  context: QueryContext,
  selection: TransferSelection,
  request: PageRequest<WalkCursor>,
  next: ListWalk["next"],
  block?: Bytes,
): Promise<TransferPage<WalkInfo>> {
  const walk: ListWalk = {
    block,
    next: async (session, after, count) => {
      await readTokenRange(session);
      return next(session, after, count);
    },
    select: (session, positions) => selectTransfers(session, positions, selection),
  };
  const { found, info } = await walkPage(context.store, walk, request, (session, positions) =>
    loadRelated(context, session, positions),
  );
  return describePage(context, { info, ...found }, "index");
}

async function selectTransfers(
  { tokens, addresses }: ReadSession,
  positions: readonly Position[],
  { kinds, party }: TransferSelection,
): Promise<Position[]> {
  const stored = await tokens.transfers.stored(positions);
  const id = party && (isZero(party.address) ? ZERO_ADDRESS_ID : await addresses.id(party.address));
  return positions.filter((position) => {
    const transfer = stored.get(position);
    if (transfer === undefined || (party !== undefined && transfer[party.role] !== id)) return false;
    return kinds === undefined || kinds.includes(transfer.kind);
  });
}
