import type { Bytes } from "../../chain/bytes.ts";
import { uintToBigInt } from "../../chain/uint.ts";
import { mustHave } from "../../store/encoding.ts";
import type { Store } from "../../store/store.ts";
import type { Asset, HeldAsset } from "../../store/tokens/assetReads.ts";
import { byFirstSeen } from "../../store/tokens/assetReads.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { Context } from "../context.ts";
import type { Shape } from "../openapi/values.ts";
import type { Mark, PageRequest, Query } from "../params.ts";
import { parseAddress, parseMarkedPage } from "../params.ts";
import type { BalanceValue } from "./balanceValues.ts";
import { readValues } from "./balanceValues.ts";
import type { Envelope } from "./envelope.ts";
import { presentRanked } from "./envelope.ts";
import { presentToken } from "./presentToken.ts";
import type { TokenBalanceSchema } from "./schema/token.ts";
import { readTokenReach } from "./tokenStage.ts";

/** What an address has of every token, in the order in which tokens were first seen (specification, section 4.1). */
export async function serveTokenBalances(context: Context, text: string, query: Query): Promise<Envelope<object>> {
  const address = parseAddress(text);
  const request = parseMarkedPage(query);
  const { store } = context;
  const { reach, total, last, held, tokens } = await store.read(async () => {
    const reach = await readTokenReach(store);
    const page = await readPage(store, address, request);
    return { reach, ...page, tokens: await store.tokens.byId(page.held.map(({ token }) => token)) };
  });
  const values = await readValues(
    context,
    reach,
    held.map(({ token, amount }) => ({
      token: mustHave(tokens.get(token), `token ${token}`),
      holder: address,
      amount,
    })),
  );
  const items = held.map((asset, at) =>
    presentBalance(asset, mustHave(tokens.get(asset.token), `token ${asset.token}`), values[at]!),
  );
  const around = { total, block: reach?.tip.number ?? null, since: reach?.first ?? null };
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
  readonly last: Mark["key"] | undefined;
}

async function readPage(store: Store, address: Bytes, request: PageRequest<Mark>): Promise<AssetPage> {
  const id = await store.addresses.id(address);
  if (id === undefined) return { total: 0, held: [], last: undefined };
  const assets = await store.tokens.assets.of(id);
  const from = firstShown(assets, request);
  const held = await store.tokens.assets.amounts(id, assets.slice(from, from + request.pageSize));
  const end = from + request.pageSize < assets.length ? held.at(-1) : undefined;
  return { total: assets.length, held, last: end && [BigInt(end.token), end.item] };
}

/** After the mark, wherever that is by now; without one, at the page's own rank. */
function firstShown(assets: readonly Asset[], { page, pageSize, anchor }: PageRequest<Mark>): number {
  if (anchor === undefined) return (page - 1) * pageSize;
  const mark = { token: Number(anchor.key[0]), item: anchor.key[1] };
  const found = assets.findIndex((asset) => byFirstSeen(asset, mark) > 0);
  return found < 0 ? assets.length : found;
}
