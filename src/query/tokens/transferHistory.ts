import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/tokens/read/transferReads.ts";
import type { OrdinalList } from "../../store/write/list.ts";
import { NO_LIST } from "../../store/write/list.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { readBlockWindow, searchBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { knownHeight } from "../indexedRange.ts";
import { listedInput } from "../transactions/method.ts";
import { readToken } from "./token.ts";
import { readTokenRange } from "./tokenStage.ts";
import { transfersOfAddress, transfersOfPair } from "./transfers.ts";

/** Whose transfers: those of an address, of a token, or of an address and a token. */
export interface TransferParties {
  readonly address?: Bytes | undefined;
  readonly token?: Bytes | undefined;
}

export interface HistoricTransfer {
  readonly transfer: MinedTransfer;
  readonly token: KnownToken;
  readonly functionName: string | undefined;
}

export interface TransferHistory {
  readonly transfers: readonly HistoricTransfer[];
  /** The highest block known of. */
  readonly height: number;
}

/** The transfers of one standard in some blocks. */
export async function readTransferHistory(
  context: QueryContext,
  parties: TransferParties,
  kind: TokenKind,
  window: BlockWindow,
): Promise<TransferHistory> {
  const { found, tokens, height } = await context.store.read(async (session) => {
    const range = await readTokenRange(session);
    const found = await readTransfers(session, parties, kind, window);
    const tokens = await session.tokens.byId(found.map(({ token }) => token));
    return { found, tokens, height: knownHeight(context, range) };
  });
  const calls = found.map(({ mined: { transaction } }) => (transaction.to === null ? EMPTY : listedInput(transaction)));
  const names = await context.decoder.listedNames(calls);
  const transfers = found.map((transfer, at) => ({
    transfer,
    token: mustHave(tokens.get(transfer.token), `token ${transfer.token}`),
    functionName: names[at],
  }));
  return { transfers, height };
}

async function readTransfers(
  session: ReadSession,
  { address, token }: TransferParties,
  kind: TokenKind,
  window: BlockWindow,
): Promise<MinedTransfer[]> {
  const known = token && (await readToken(session, token));
  if (token !== undefined && known === undefined) return [];
  const isOfKind = known?.state.kinds.length === 1;
  if (isOfKind && known.state.kinds[0] !== kind) return [];
  const { list, isWanted } = await listOf(session, address, known);
  const read = (positions: readonly number[]) => session.tokens.transfers.at(positions);
  if (isOfKind && isWanted === undefined) return read(await readBlockWindow(list, window));
  return searchBlockWindow(list, window, read, (each) => each.kind === kind && (isWanted?.(each) ?? true));
}

/** A list, and which of it are wanted where not all are. */
interface TransferList {
  readonly list: OrdinalList;
  readonly isWanted?: (transfer: MinedTransfer) => boolean;
}

/** What the zero address mints and burns has no list by token. */
async function listOf(
  session: ReadSession,
  address: Bytes | undefined,
  token: KnownToken | undefined,
): Promise<TransferList> {
  if (token === undefined) return { list: address ? await transfersOfAddress(session, address) : NO_LIST };
  const list = session.tokens.transfers.ofToken(token.id);
  if (address === undefined) return { list };
  if (isZero(address)) return { list, isWanted: ({ from, to }) => isZero(from) || isZero(to) };
  return { list: await transfersOfPair(session, address, token.address) };
}
