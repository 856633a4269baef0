import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ASSET_LISTS } from "../../store/stages/tokens/tables/assetCounts.ts";
import type { QueryContext } from "../context.ts";
import { readTokenRange } from "../stageRanges.ts";
import { walkAssets } from "./heldAssets.ts";
import { readToken } from "./token.ts";

interface ItemWindow {
  readonly skip: number;
  readonly limit: number;
}

/** Ids of one ERC-721 that an address holds, by first appearance. All items of the address are looked through. */
export function listItemsOfToken(
  { store }: QueryContext,
  address: Bytes,
  token: Bytes,
  { skip, limit }: ItemWindow,
): Promise<readonly Bytes[]> {
  return store.read(async (session) => {
    const [known, id] = await Promise.all([
      readToken(session, token),
      session.addresses.id(address),
      readTokenRange(session),
    ]);
    if (known === undefined || id === undefined) return [];
    const found: Bytes[] = [];
    for await (const assets of walkAssets(session, id, [ASSET_LISTS.uniques])) {
      const items = await session.tokens.items.at(assets.map((asset) => asset.id));
      for (const item of items) if (item.token === known.id) found.push(item.tokenId);
      if (found.length >= skip + limit) break;
    }
    return found.slice(skip, skip + limit);
  });
}
