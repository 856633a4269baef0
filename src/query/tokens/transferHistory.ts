import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
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
  const list = await listOf(session, address, known);
  const read = (positions: readonly number[]) => session.tokens.transfers.at(positions);
  if (known?.state.kinds.length !== 1) return searchBlockWindow(list, window, read, (each) => each.kind === kind);
  return known.state.kinds[0] === kind ? read(await readBlockWindow(list, window)) : [];
}

async function listOf(
  session: ReadSession,
  address: Bytes | undefined,
  token: KnownToken | undefined,
): Promise<OrdinalList> {
  if (address === undefined) return token === undefined ? NO_LIST : session.tokens.transfers.ofToken(token.id);
  return token === undefined ? transfersOfAddress(session, address) : transfersOfPair(session, address, token.address);
}
