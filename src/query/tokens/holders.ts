import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Holding } from "../../store/stages/tokens/read/holderSample.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { rankedPageInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { Balance } from "./balances.ts";
import { readBalances } from "./balances.ts";
import { readToken } from "./token.ts";

export interface Holder extends Balance {
  readonly holder: Bytes;
}

export interface HolderPage {
  readonly holders: readonly Holder[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

export async function listHolders(
  context: QueryContext,
  address: Bytes,
  request: PageRequest<RankCursor>,
): Promise<HolderPage | undefined> {
  const found = await context.store.read(async (session) => {
    const [range, token] = await Promise.all([readTokenRange(session), readToken(session, address)]);
    if (token === undefined) return undefined;
    const page = await readPage(session, token, request);
    return { range, token, page, addresses: await session.addresses.infos(page.holders.map((each) => each.address)) };
  });
  if (found === undefined) return undefined;
  const { range, token, page, addresses } = found;
  const entries = page.holders.map((each) => ({ token, holder: each.address, amount: each.amount }));
  return {
    holders: await readBalances(context, range, entries),
    addresses,
    info: rankedPageInfo(request, range, token.state.holders, page.last),
  };
}

interface ReadPage {
  readonly holders: readonly Holding[];
  readonly last: RankCursor["key"] | undefined;
}

/** Reads one item more, to tell whether another page follows. */
async function readPage(
  { tokens: { holders } }: ReadSession,
  { id, state }: KnownToken,
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<ReadPage> {
  const found =
    cursor === undefined
      ? await holders.fromRank(id, (page - 1) * pageSize, pageSize + 1, state.holders)
      : await holders.below(id, { amount: cursor.key[0], holder: cursor.key[1] }, pageSize + 1);
  const shown = found.slice(0, pageSize);
  const end = found.length > pageSize ? shown.at(-1) : undefined;
  return { holders: shown, last: end && [end.amount, end.holder] };
}
