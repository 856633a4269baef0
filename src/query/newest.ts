import type { Bytes } from "../chain/encoding/bytes.ts";
import type { TokenKind } from "../chain/token/tokenTransfer.ts";
import type { MinedTransaction } from "../store/read/transactions.ts";
import type { ReadSession } from "../store/session.ts";
import type { KnownToken } from "../store/stages/tokens/read/tokenReads.ts";
import { KINDS } from "../store/stages/tokens/tables/transferBody.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { IndexedRange } from "./indexedRange.ts";
import { memoPerVersion } from "./memoPerVersion.ts";
import { hasTokens } from "./stageRanges.ts";

export interface Newest {
  readonly block: number;
  readonly transaction: MinedTransaction["transaction"] | undefined;
  readonly versionedHash: Bytes | undefined;
  readonly token: Bytes | undefined;
  readonly item: { readonly token: Bytes; readonly tokenId: Bytes } | undefined;
}

/** Once per index version; undefined while nothing is indexed. */
export function newestOf(store: StoreReader): () => Promise<Newest | undefined> {
  return memoPerVersion(store, async (session, range) => {
    if (range === undefined) return undefined;
    const newest = await readNewest(session, range);
    return {
      block: range.tip.number,
      transaction: newest[0]?.transaction,
      versionedHash: newest.flatMap(({ transaction }) => transaction.blobVersionedHashes ?? [])[0],
      token: (await readTopToken(session, range, KINDS))?.address,
      item: await readItem(session, range),
    };
  });
}

/** Enough to probably include a blob. */
const RECENT_TRANSACTIONS = 100;

async function readNewest(session: ReadSession, { first, tip }: IndexedRange): Promise<MinedTransaction[]> {
  const all = session.transactions.all(first, tip);
  const count = await all.count();
  const positions = await all.slice(Math.max(count - RECENT_TRANSACTIONS, 0), count);
  return session.transactions.at(positions.reverse());
}

async function readTopToken(
  session: ReadSession,
  range: IndexedRange,
  kinds: readonly TokenKind[],
): Promise<KnownToken | undefined> {
  if (!(await hasTokens(session, range))) return undefined;
  const { ranks } = session.tokens;
  const [first] = await ranks.fromRank(kinds, 0, 1, await ranks.count(kinds));
  return first && (await session.tokens.byId([first.token])).get(first.token);
}

async function readItem(session: ReadSession, range: IndexedRange): Promise<Newest["item"]> {
  const token = await readTopToken(session, range, ["ERC-721", "ERC-1155"]);
  if (token === undefined) return undefined;
  const { items } = session.tokens;
  const [first] = await items.at(await items.ofToken(token.id).slice(0, 1));
  return first && { token: token.address, tokenId: first.tokenId };
}
