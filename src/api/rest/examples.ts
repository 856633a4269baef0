import { checksumAddress } from "../../chain/checksum.ts";
import { toHex } from "../../chain/hex.ts";
import type { Store } from "../../store/store.ts";
import { ZERO_ADDRESS_ID } from "../../store/tokens/transferIds.ts";
import type { Examples } from "../openapi/page.ts";
import { perTip } from "./perTip.ts";
import type { Reach } from "./reach.ts";
import { hasTokens } from "./tokenStage.ts";

/** What each path can be asked for and has an answer to: of the newest the index holds. */
export function readExamples(store: Store): () => Promise<Examples> {
  return perTip(store, async (reach) => {
    if (reach === undefined) return {};
    const [newest, token] = [await readNewest(store, reach), await readMinted(store, reach)];
    return {
      blocks: String(reach.tip.number),
      ...(newest && {
        transactions: toHex(newest.transaction.hash),
        addresses: checksumAddress(newest.transaction.from),
      }),
      ...(token && { tokens: token, "smart-contracts": token }),
    };
  });
}

async function readNewest(store: Store, { first, tip }: Reach) {
  const all = store.transactions.all(first, tip);
  const count = await all.count();
  const [newest] = await store.transactions.at(await all.slice(Math.max(count - 1, 0), count));
  return newest;
}

/** Tokens have no list of their own, but what the zero address mints has. */
async function readMinted(store: Store, reach: Reach): Promise<string | undefined> {
  if (!(await hasTokens(store, reach))) return undefined;
  const minted = store.tokens.transfers.ofAddress(ZERO_ADDRESS_ID);
  const count = await minted.count();
  const [transfer] = await store.tokens.transfers.at(await minted.slice(Math.max(count - 1, 0), count));
  const token = transfer && (await store.tokens.byId([transfer.token])).get(transfer.token);
  return token && checksumAddress(token.address);
}
