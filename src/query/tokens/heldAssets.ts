import { ChainError } from "../../chain/error.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { Turn } from "../../std/async.ts";
import type { AddressId, ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Asset } from "../../store/stages/tokens/read/assetReads.ts";
import { OWN_ITEMS } from "../../store/stages/tokens/read/assetReads.ts";
import { ASSET_LISTS } from "../../store/stages/tokens/tables/assetCounts.ts";

/** Assets scanned if no list has the requested order. */
export const MAX_SCANNED_ASSETS = 50_000;

const BATCH_SIZE = 1000;

/** In id order. A token's standard may change at any block. */
export async function tokensOfKind(
  session: ReadSession,
  address: AddressId,
  kind: TokenKind,
  maxScanned = MAX_SCANNED_ASSETS,
): Promise<number[]> {
  const found: number[] = [];
  for await (const assets of walkAssets(session, address, [ASSET_LISTS.tokens], maxScanned)) {
    const ids = assets.map(({ id }) => id);
    const kinds = await session.tokens.kinds(ids);
    found.push(...ids.filter((id) => kinds.get(id) === kind));
  }
  return found;
}

/** By token, then item, in order of first appearance. */
export async function itemsByToken(
  session: Pick<ReadSession, "tokens">,
  address: AddressId,
  maxScanned = MAX_SCANNED_ASSETS,
): Promise<Map<AddressId, ItemId[]>> {
  const found = new Map<AddressId, ItemId[]>();
  for await (const assets of walkAssets(session, address, OWN_ITEMS, maxScanned)) {
    for (const { id, token } of await session.tokens.items.at(assets.map(({ id }) => id))) {
      const items = found.get(token);
      if (items === undefined) found.set(token, [id]);
      else items.push(id);
    }
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

export async function* walkAssets(
  { tokens: { assets } }: Pick<ReadSession, "tokens">,
  address: AddressId,
  lists: readonly Asset["list"][],
  max = MAX_SCANNED_ASSETS,
): AsyncGenerator<Asset[]> {
  const count = await assets.count(address, lists);
  if (count > max) {
    throw new ChainError("limit_exceeded", `the address has ${count} of these; over ${max} are not looked through`);
  }
  const turn = new Turn();
  let found = await assets.fromRank(address, 0, BATCH_SIZE, lists);
  while (found.length > 0) {
    yield found;
    await turn.yieldToEventLoop();
    const last = found.at(-1);
    found = last === undefined || found.length < BATCH_SIZE ? [] : await assets.after(address, last, BATCH_SIZE, lists);
  }
}
