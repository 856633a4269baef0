import { ChainError } from "../../chain/error.ts";
import type { ReadSession } from "../../store/session.ts";
import type { NativeTip } from "../../store/stages/native/nativeTip.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { PageRequest, RankCursor } from "../pages.ts";
import { rankedPageInfo } from "../pages.ts";
import { accountAt, accountKey } from "../ranking/accountKeys.ts";
import type { AccountOrder } from "../ranking/accountRanking.ts";
import { MAX_ACCOUNTS } from "../ranking/accountRanking.ts";
import type { AccountPage } from "../ranking/describeAccounts.ts";
import { describeAccounts } from "../ranking/describeAccounts.ts";

/** Maximum lag of stored balances before the node is asked for all instead. */
export const MAX_BEHIND = 32;

interface CachedRanking {
  readonly tip: NativeTip;
  readonly range: IndexedRange;
}

/** Limited to as many accounts as the node is asked for. */
export async function sortAccounts(
  { node, store }: QueryContext,
  by: AccountOrder,
  request: PageRequest<RankCursor>,
  max = MAX_ACCOUNTS,
): Promise<AccountPage> {
  const seen = (await store.read(readIndexedRange))?.tip.totals.addresses ?? 0;
  if (seen > max) throw new ChainError("limit_exceeded", `there are ${seen} addresses; at most ${max} are sorted`);
  if (node === undefined) throw new ChainError("upstream_unavailable", "there is no node to ask");
  return node.accounts.list(request, by);
}

/** By balance after the last block with known balances, richest first. */
export async function listAccounts(
  { store, node }: QueryContext,
  request: PageRequest<RankCursor>,
  max = MAX_ACCOUNTS,
): Promise<AccountPage> {
  const found = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    const kept = range && (await readCached(session, range));
    const areFew = (range?.tip.totals.addresses ?? 0) <= max;
    const isNodeBetter =
      areFew && node !== undefined && (node.isDevelopment || kept === undefined || isOld(kept, range));
    const isKept = kept !== undefined;
    return !isKept || isNodeBetter ? { areFew, isKept } : readPage(session, kept, request);
  });
  if ("accounts" in found) return found;
  const { areFew, isKept } = found;
  const ofNode = areFew ? await node?.accounts.list(request).catch((error) => absentIf(error, isKept)) : undefined;
  return ofNode ?? store.read((session) => readCachedPage(session, request, node !== undefined));
}

function isOld({ tip }: CachedRanking, range: IndexedRange | undefined): boolean {
  return (range?.tip.number ?? 0) - tip.number > MAX_BEHIND;
}

/** Stored balances are the fallback if the node fails. Without them there may be too many accounts to ask. */
function absentIf(error: unknown, isKept: boolean): undefined {
  if (!(error instanceof ChainError) || !(isKept || error.code === "limit_exceeded")) throw error;
}

async function readCached(session: ReadSession, range: IndexedRange): Promise<CachedRanking | undefined> {
  const [tip, targets] = await Promise.all([session.native.tip(), session.native.targets()]);
  if (tip === undefined || targets > tip.backfilled) return undefined;
  const block = tip.number === range.tip.number ? range.tip : await session.blocks.tipAt(tip.number);
  return block && { tip, range: { ...range, tip: block } };
}

async function readCachedPage(session: ReadSession, request: PageRequest<RankCursor>, hasNode: boolean) {
  const range = await readIndexedRange(session);
  const kept = range && (await readCached(session, range));
  if (kept !== undefined) return readPage(session, kept, request);
  if (!hasNode) throw new ChainError("upstream_unavailable", "there is no node to ask");
  throw new ChainError(
    "stage_behind",
    `The index has seen too many addresses to ask for all. ${await explain(session)}`,
  );
}

async function explain({ blocks, traces, native }: ReadSession): Promise<string> {
  const [tip, traced, kept] = [await blocks.tip(), await traces.tip(), await native.tip()];
  if (kept !== undefined) {
    const missing = await native.missing(kept);
    return `The balances of ${kept.backfilled} of ${kept.backfilled + missing} of them are known so far.`;
  }
  if (traced === undefined) return "Their balances are kept where traces are indexed: --traces turns them on.";
  return `Their balances are kept once traces are at block ${tip?.number}: they are at block ${traced.number}.`;
}

/** Reads one item more, to tell whether another page follows. */
async function readPage(
  session: ReadSession,
  { tip, range }: CachedRanking,
  request: PageRequest<RankCursor>,
): Promise<AccountPage> {
  const { page, pageSize, cursor } = request;
  const found =
    cursor === undefined
      ? await session.native.fromRank((page - 1) * pageSize, pageSize + 1)
      : await session.native.below(accountAt(cursor), pageSize + 1);
  const shown = found.slice(0, pageSize);
  const end = found.length > pageSize ? shown.at(-1) : undefined;
  const rows = await describeAccounts(session, shown);
  return {
    ...rows,
    total: tip.sum,
    info: rankedPageInfo(request, range, tip.accounts, end && accountKey(end)),
  };
}
