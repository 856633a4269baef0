import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest } from "../pages.ts";
import { pageInBlock } from "../pages.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import { hasTokens } from "../stageRanges.ts";
import type { KnownMove } from "./tokenBalances.ts";
import { completeFromNode, MAX_LATER_TRANSFERS, readFromLedger } from "./tokenBalances.ts";
import type { TokenMoves } from "./tokenChanges.ts";
import { readTokenMoves } from "./tokenChanges.ts";
import type { CoinChange } from "./transactionTrace.ts";
import { readCoinChanges } from "./transactionTrace.ts";

/** Balance changes of a transaction, native and tokens. */
export interface StateChangePage {
  readonly coins: readonly CoinChange[];
  readonly tokens: readonly (KnownMove & { readonly isMiner: boolean })[];
  /** False if the tokens stage is behind. */
  readonly hasTokens: boolean;
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

/** Native by address, then tokens by address, token and id. */
export async function listStateChanges(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
  max = MAX_LATER_TRANSFERS,
): Promise<StateChangePage | undefined> {
  const found = await readCoinChanges(context, hash);
  if (found === undefined) return undefined;
  const { changes, header, range } = found;
  const read = await readInParts(context.store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const moved = header && (await movesIn(parts, hash, header));
    const count = changes.length + (moved?.moves.length ?? 0);
    const { info, window } = pageInBlock(count, range, request, header);
    const coins = changes.slice(window.from, window.to);
    const [from, to] = [window.from, window.to].map((end) => Math.max(end - changes.length, 0));
    const moves = moved?.moves.slice(from, to) ?? [];
    const named = [...coins.map(({ address }) => address), ...moves.map(({ holder }) => holder)];
    const known = header && moved ? await readFromLedger(parts, moved, moves, header, max) : [];
    const addresses = await parts.read((session) => session.addresses.infos(named));
    return { info, coins, moves, known, hasTokens: header === undefined || moved !== undefined, addresses };
  });
  const { moves, known, ...page } = read;
  const complete = header === undefined ? [] : await completeFromNode(context, moves, known, header);
  const isMiner = (address: Bytes) => header !== undefined && equalBytes(address, header.miner);
  return { ...page, tokens: complete.map((move) => ({ ...move, isMiner: isMiner(move.holder) })) };
}

async function movesIn(parts: ReadParts, hash: Bytes, header: Header): Promise<TokenMoves | undefined> {
  const mined = await parts.read(async (session) =>
    (await hasTokens(session, await readIndexedRange(session))) ? session.transactions.byHash(hash) : undefined,
  );
  if (mined === undefined || !equalBytes(mined.block.header.hash, header.hash)) return undefined;
  return readTokenMoves(parts, mined);
}
