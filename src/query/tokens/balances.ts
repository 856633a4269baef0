import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { readTokenRange } from "./tokenStage.ts";
import { mustHave } from "../../store/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Asset, HeldAsset } from "../../store/tokens/assetReads.ts";
import { ASSET_ORDER } from "../../store/tokens/assetReads.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { Context } from "../context.ts";
import type { Shape } from "../../api/openapi/values.ts";
import type { Envelope } from "../../api/rest/envelope.ts";
import { presentRanked } from "../../api/rest/envelope.ts";
import type { PageRequest, Query, RankCursor } from "../../api/rest/params.ts";
import { parseAddress, parseRankedPage } from "../../api/rest/params.ts";
import { presentToken } from "../../api/rest/tokens/presentToken.ts";
import type { TokenBalanceSchema } from "../../api/rest/tokens/tokenSchema.ts";
import type { BalanceValue } from "./balanceValues.ts";
import { readValues } from "./balanceValues.ts";

/** What an address has: tokens, then items, each in the order in which they were first seen (specification, section 4.1). */
export async function serveTokenBalances(context: Context, text: string, query: Query): Promise<Envelope<object>> {
  const address = parseAddress(text);
  const request = parseRankedPage(query);
  const { store } = context;
  const { range, total, last, held, tokens } = await store.read(async (session) => {
    const range = await readTokenRange(session);
    const page = await readPage(session, address, request);
    return { range, ...page, tokens: await session.tokens.byId(page.held.map(({ token }) => token)) };
  });
  const values = await readValues(
    context,
    range,
    held.map(({ token, amount }) => ({
      token: mustHave(tokens.get(token), `token ${token}`),
      holder: address,
      amount,
    })),
  );
  const items = held.map((asset, at) =>
    presentBalance(asset, mustHave(tokens.get(asset.token), `token ${asset.token}`), values[at]!),
  );
  const around = { total, block: range?.tip.number ?? null, since: range?.first ?? null };
  return presentRanked(items, { request, last, ...around });
}

function presentBalance(
  { tokenId }: HeldAsset,
  token: KnownToken,
  value: BalanceValue,
): Shape<typeof TokenBalanceSchema> {
  return {
    ...value,
    token: presentToken(token),
    token_id: tokenId === undefined ? null : uintToBigInt(tokenId).toString(),
    token_instance: null,
  };
}

interface AssetPage {
  readonly total: number;
  readonly held: readonly HeldAsset[];
  readonly last: RankCursor["key"] | undefined;
}

/** One asset more than is shown tells whether others follow. */
async function readPage(session: ReadSession, address: Bytes, request: PageRequest<RankCursor>): Promise<AssetPage> {
  const id = await session.addresses.id(address);
  if (id === undefined) return { total: 0, held: [], last: undefined };
  const { assets } = session.tokens;
  const { page, pageSize, anchor } = request;
  const found =
    anchor === undefined
      ? await assets.fromRank(id, (page - 1) * pageSize, pageSize + 1)
      : await assets.after(id, readRankCursor(anchor), pageSize + 1);
  const held = await assets.amounts(id, found.slice(0, pageSize));
  const end = found.length > pageSize ? held.at(-1) : undefined;
  return { total: await assets.count(id), held, last: end && [BigInt(end.list), end.id] };
}

/** After lists that are none comes nothing. */
function readRankCursor({ key: [list, id] }: RankCursor): Asset {
  const known = ASSET_ORDER.find((one) => BigInt(one) === list);
  return known === undefined ? { list: ASSET_ORDER.at(-1)!, id: Number.MAX_SAFE_INTEGER } : { list: known, id };
}
