import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { IndexedRange } from "../../query/indexedRange.ts";
import { memoPerVersion } from "../../query/memoPerVersion.ts";
import { hasTokens } from "../../query/tokens/tokenStage.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Store } from "../../store/store.ts";
import { KINDS } from "../../store/tokens/transferBody.ts";
import type { MinedTransaction } from "../../store/transactions.ts";
import type { Examples } from "../openapi/page.ts";

/** What each path can be asked for and has an answer to: of the newest the index contains. */
export function readExamples(store: Store): () => Promise<Examples> {
  return memoPerVersion(store, async (session, range) => {
    if (range === undefined) return {};
    const newest = await readNewest(session, range);
    const blob = newest.flatMap(({ transaction }) => transaction.blobVersionedHashes ?? [])[0];
    const token = await readMostHeld(session, range);
    return {
      blocks: String(range.tip.number),
      ...(newest[0] && namesOf(newest[0])),
      ...(blob && { blobs: toHex(blob) }),
      ...(token && { tokens: token, "smart-contracts": token }),
    };
  });
}

function namesOf({ transaction }: MinedTransaction): Examples {
  return { transactions: toHex(transaction.hash), addresses: checksumAddress(transaction.from) };
}

/** As many as are likely to have a blob among them. */
const LOOKED_AT = 100;

async function readNewest(session: ReadSession, { first, tip }: IndexedRange): Promise<MinedTransaction[]> {
  const all = session.transactions.all(first, tip);
  const count = await all.count();
  const positions = await all.slice(Math.max(count - LOOKED_AT, 0), count);
  return session.transactions.at(positions.reverse());
}

async function readMostHeld(session: ReadSession, range: IndexedRange): Promise<string | undefined> {
  if (!(await hasTokens(session, range))) return undefined;
  const total = await session.tokens.ranks.count(KINDS);
  const [first] = await session.tokens.ranks.fromRank(KINDS, 0, 1, total);
  const token = first && (await session.tokens.byId([first.token])).get(first.token);
  return token && checksumAddress(token.address);
}
