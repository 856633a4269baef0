import type { Header } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { balanceCall, itemBalanceCall } from "../../chain/token/tokenCall.ts";
import { decodeUint } from "../../chain/token/tokenText.ts";
import type { Position } from "../../store/rows/position.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { SearchableList } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import { MAX_ASKED } from "../node/nodeBalances.ts";
import type { ReadParts } from "../readInParts.ts";
import type { TokenMove, TokenMoves } from "./tokenChanges.ts";
import { amountOf } from "./tokenChanges.ts";

/** Transfers scanned per page: later ones, and earlier ones in the block. */
export const MAX_LATER_TRANSFERS = 20_000;

const BATCH_SIZE = 500;

/** Balance before; null if unknown. */
export interface KnownMove extends TokenMove {
  readonly before: bigint | null;
}

/** Sources of the balance before. */
interface Known {
  /** By the ledger, if few enough transfers follow. */
  readonly before: bigint | undefined;
  /** Changes earlier in the block; undefined if too many. */
  readonly earlier: bigint | undefined;
}

/** Current balances minus later transfers. */
export async function readFromLedger(
  parts: ReadParts,
  { first, last }: Omit<TokenMoves, "moves">,
  moves: readonly TokenMove[],
  header: Header,
  max = MAX_LATER_TRANSFERS,
): Promise<Known[]> {
  const known: Known[] = [];
  const [ofLater, ofBlock] = [{ left: max }, { left: MAX_LATER_TRANSFERS }];
  for (const move of moves) {
    const isDoubtful = move.token.labels.includes("ledger_differs");
    const later = isDoubtful ? undefined : await readSum(parts, move, [last + 1, undefined], ofLater);
    if (later !== undefined) {
      known.push({ before: later.now - later.sum - move.change, earlier: undefined });
      continue;
    }
    const earlier = await readSum(parts, move, [firstPosition(header.number), first], ofBlock);
    known.push({ before: undefined, earlier: earlier?.sum });
  }
  return known;
}

/** Undefined if there are too many transfers. */
async function readSum(
  parts: ReadParts,
  move: TokenMove,
  between: readonly [Position, Position | undefined],
  budget: { left: number },
): Promise<{ readonly sum: bigint; readonly now: bigint } | undefined> {
  const found = await parts.read((session) => findTransfers(session, move, between));
  if (found === undefined || found.end - found.start > budget.left) return undefined;
  const { holder, start, end, now } = found;
  budget.left -= end - start;
  let sum = 0n;
  for (let at = start; at < end; at += BATCH_SIZE) {
    const transfers = await parts.read(async (session) => {
      const positions = await listOf(session, move, holder).slice(at, Math.min(at + BATCH_SIZE, end));
      return session.tokens.transfers.stored(positions);
    });
    for (const transfer of transfers.values()) {
      if (transfer.to === holder) sum += amountOf(transfer);
      if (transfer.from === holder) sum -= amountOf(transfer);
    }
  }
  return { sum, now };
}

async function findTransfers(
  session: ReadSession,
  move: TokenMove,
  [from, to]: readonly [Position, Position | undefined],
) {
  const holder = await session.addresses.id(move.holder);
  if (holder === undefined) return undefined;
  const list = listOf(session, move, holder);
  const [start = 0] = await list.ordinalsOf([from]);
  const [end = 0] = to === undefined ? [await list.count()] : await list.ordinalsOf([to]);
  return { holder, start, end, now: await balanceNow(session, move, holder) };
}

function listOf({ tokens }: ReadSession, { token, item }: TokenMove, holder: number): SearchableList {
  return item === 0 ? tokens.transfers.ofPair(holder, token.id) : tokens.items.transfers(item);
}

async function balanceNow({ tokens }: ReadSession, { token, item }: TokenMove, holder: number): Promise<bigint> {
  const [balance = 0n] =
    item === 0 ? await tokens.balances([[holder, token.id]]) : await tokens.itemBalances([[holder, item]]);
  return balance;
}

/** `balanceOf` after the parent block plus earlier changes in this block. */
export async function completeFromNode(
  { node }: QueryContext,
  moves: readonly TokenMove[],
  known: readonly Known[],
  { number, parentHash }: Header,
): Promise<KnownMove[]> {
  const unknown = moves.filter((_, at) => known[at]?.before === undefined && known[at]?.earlier !== undefined);
  const asked = unknown.slice(0, MAX_ASKED);
  const calls = asked.map(({ token, holder, tokenId }) =>
    tokenId === undefined ? balanceCall(token.address, holder) : itemBalanceCall(token.address, holder, tokenId),
  );
  const parent = { number: number - 1, hash: parentHash as Bytes };
  const canAsk = node !== undefined && calls.length > 0 && number > 0;
  const outcomes = canAsk ? await node.readThrough.calls(calls, parent).catch(expectChainError) : undefined;
  return moves.map((move, at) => {
    const { before, earlier } = known[at] ?? { before: undefined, earlier: undefined };
    if (before !== undefined) return { ...move, before };
    const outcome = outcomes?.[asked.indexOf(move)];
    const reported = outcome instanceof Uint8Array ? decodeUint(outcome) : null;
    return { ...move, before: reported === null || earlier === undefined ? null : reported + earlier };
  });
}

function expectChainError(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}
