import { readTokenRange } from "./tokenStage.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Holding } from "../../store/tokens/holderReads.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { Context } from "../context.ts";
import type { Shape } from "../../api/openapi/values.ts";
import { readValues } from "./balanceValues.ts";
import { presentAddress } from "../../api/rest/addresses/presentAddress.ts";
import { presentRanked } from "../../api/rest/envelope.ts";
import type { PageRequest, Query, RankCursor } from "../../api/rest/params.ts";
import { parseAddress, parseRankedPage } from "../../api/rest/params.ts";
import { readToken } from "./token.ts";
import type { HolderSchema } from "../../api/rest/tokens/tokenSchema.ts";

/** The holders of a token, the largest first (specification, section 4.1). */
export async function serveHolders(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const request = parseRankedPage(query);
  const { store } = context;
  const { range, token, page, kinds } = await store.read(async (session) => {
    const range = await readTokenRange(session);
    const token = await readToken(session, address);
    const page = await readPage(session, token, request);
    return { range, token, page, kinds: await session.addresses.kinds(page.holders.map(({ address }) => address)) };
  });
  const { holders, last } = page;
  const values = await readValues(
    context,
    range,
    holders.map(({ address, amount }) => ({ token, holder: address, amount })),
  );
  const items = holders.map(
    (holder, at): Shape<typeof HolderSchema> => ({
      address: presentAddress(holder.address, kinds),
      ...values[at]!,
      token_id: null,
    }),
  );
  const around = { total: token.state.holders, block: range?.tip.number ?? null, since: range?.first ?? null };
  return presentRanked(items, { request, last, ...around });
}

interface HolderPage {
  readonly holders: readonly Holding[];
  readonly last: RankCursor["key"] | undefined;
}

/** One holder more than is shown tells whether others follow. */
async function readPage(
  session: ReadSession,
  { id, state }: KnownToken,
  request: PageRequest<RankCursor>,
): Promise<HolderPage> {
  const { page, pageSize, anchor } = request;
  const found =
    anchor === undefined
      ? await session.tokens.holders.fromRank(id, (page - 1) * pageSize, pageSize + 1, state.holders)
      : await session.tokens.holders.below(id, { amount: anchor.key[0], holder: anchor.key[1] }, pageSize + 1);
  const holders = found.slice(0, pageSize);
  const end = found.length > pageSize ? holders.at(-1) : undefined;
  return { holders, last: end && [end.amount, end.holder] };
}
