import type { Signature } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/stages/tokens/read/transferReads.ts";
import { ZERO_ADDRESS_ID } from "../../store/stages/tokens/tables/transferIds.ts";
import type { SearchableList } from "../../store/tables/list.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { MAX_SEARCHED, readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { listedInput } from "../decode/method.ts";
import type { KnownHeight } from "../indexedRange.ts";
import { knownHeight } from "../indexedRange.ts";
import { readInParts } from "../readInParts.ts";
import { readTokenRange } from "../stageRanges.ts";
import { readToken } from "./token.ts";

interface TransferParties {
  readonly address?: Bytes | undefined;
  readonly token?: Bytes | undefined;
}

export interface HistoricTransfer {
  readonly transfer: MinedTransfer;
  readonly token: KnownToken;
  /** Called function, if known. */
  readonly called: Signature | undefined;
}

interface TransferHistory {
  readonly transfers: readonly HistoricTransfer[];
  /** Highest known block. */
  readonly height: KnownHeight;
}

/** Transfers of one standard within some blocks. */
export async function readTransferHistory(
  context: QueryContext,
  parties: TransferParties,
  kind: TokenKind,
  window: BlockWindow,
  maxSearched = MAX_SEARCHED,
): Promise<TransferHistory> {
  const { listed, items } = await readInParts(context.store, window.toBlock, (parts) =>
    readBlockWindow(parts, window, (session) => findTransfers(context, session, parties, kind), maxSearched),
  );
  const calls = items.map(({ transfer: { mined } }) => mined.transaction).map(callOf);
  const called = await context.decoder.listedSignatures(calls);
  return { transfers: items.map((item, at) => ({ ...item, called: called[at] })), height: listed.height };
}

const callOf = (transaction: ListedTransaction) => (transaction.to === null ? EMPTY : listedInput(transaction));

type TransferOfToken = Omit<HistoricTransfer, "called">;

async function findTransfers(
  context: QueryContext,
  session: ReadSession,
  { address, token }: TransferParties,
  kind: TokenKind,
) {
  const height = knownHeight(context, await readTokenRange(session));
  const known = token && (await readToken(session, token));
  const kinds = known?.state.kinds;
  const isNone = token !== undefined && !kinds?.includes(kind);
  const { list, isParty } = isNone ? { list: NONE } : await listOf(session, address, known);
  const isOfKind = kinds?.length === 1;
  const isWanted = ({ transfer }: TransferOfToken) => transfer.kind === kind && (isParty?.(transfer) ?? true);
  return { height, list, read: readTransfers, isWanted: isOfKind && isParty === undefined ? undefined : isWanted };
}

/** Throws if the stage is behind or was rebuilt. */
async function readTransfers(session: ReadSession, positions: readonly number[]): Promise<TransferOfToken[]> {
  await readTokenRange(session);
  const tokens = new Map<number, KnownToken>();
  const transfers = await session.tokens.transfers.at(positions, undefined, async (stored) => {
    for (const [id, token] of await session.tokens.byId(stored.map(({ token }) => token))) tokens.set(id, token);
  });
  return transfers.map((transfer) => ({
    transfer,
    token: mustHave(tokens.get(transfer.token), `token ${transfer.token}`),
  }));
}

/** A list, and a filter if it has more than the requested parties. */
interface TransferList {
  readonly list: (session: ReadSession) => SearchableList;
  readonly isParty?: (transfer: MinedTransfer) => boolean;
}

const NONE = () => NO_LIST;

/** The zero address has no list per token. */
async function listOf(
  { addresses }: ReadSession,
  address: Bytes | undefined,
  token: KnownToken | undefined,
): Promise<TransferList> {
  const isMinter = address !== undefined && isZero(address);
  if (token !== undefined && (address === undefined || isMinter)) {
    const list = ({ tokens }: ReadSession) => tokens.transfers.ofToken(token.id);
    return isMinter ? { list, isParty: ({ from, to }) => isZero(from) || isZero(to) } : { list };
  }
  const id = isMinter ? ZERO_ADDRESS_ID : address && (await addresses.id(address));
  if (id === undefined) return { list: NONE };
  if (token === undefined) return { list: ({ tokens }) => tokens.transfers.ofAddress(id) };
  return { list: ({ tokens }) => tokens.transfers.ofPair(id, token.id) };
}
