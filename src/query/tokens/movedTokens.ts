import { mustHave } from "../../store/rows/encoding.ts";
import type { ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Item, LastTransfer } from "../../store/stages/tokens/read/itemReads.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/stages/tokens/read/transferReads.ts";
import type { StoredTransfer } from "../../store/stages/tokens/tables/transferBody.ts";
import { NO_ITEM } from "../../store/stages/tokens/tables/transferIds.ts";
import type { CachedMetadata } from "../itemMetadata.ts";
import type { TokenItem } from "./items.ts";
import { composeItems, readItemFacts } from "./items.ts";

const ZERO_ADDRESS = new Uint8Array(20);

/** The tokens and items that transfers moved. They are read while the transactions of the transfers are. */
export class MovedTokens {
  readonly tokens = new Map<number, KnownToken>();
  readonly #last = new Map<ItemId, LastTransfer>();
  readonly #single = new Map<ItemId, bigint>();
  readonly #session: ReadSession;

  constructor(session: ReadSession) {
    this.#session = session;
  }

  async read(stored: readonly Pick<StoredTransfer, "token" | "item">[]): Promise<void> {
    const { tokens: reads, addresses } = this.#session;
    const ids = new Set(stored.map(({ item }) => item));
    ids.delete(NO_ITEM);
    const [tokens, { last, single }] = await Promise.all([
      reads.byId(stored.map(({ token }) => token)),
      readItemFacts(
        this.#session,
        [...ids].map((id) => ({ id })),
      ),
      // Minted and burnt tokens name it, and no row has its id.
      addresses.infos([ZERO_ADDRESS]),
    ]);
    copyInto(this.tokens, tokens);
    copyInto(this.#last, last);
    copyInto(this.#single, single);
  }

  /** The items of transfers that were read, by their ids. */
  async items(transfers: readonly MinedTransfer[], metadata: CachedMetadata): Promise<ReadonlyMap<ItemId, TokenItem>> {
    const moved = new Map<ItemId, Item>();
    for (const { item, token, tokenId } of transfers) {
      if (tokenId !== undefined) moved.set(item, { id: item, token, tokenId });
    }
    const facts = { tokens: this.tokens, last: this.#last, single: this.#single };
    const items = await composeItems(metadata, this.#session, [...moved.values()], facts);
    return new Map([...moved.keys()].map((id, at) => [id, mustHave(items[at], `item ${id}`)]));
  }
}

function copyInto<K, V>(target: Map<K, V>, source: ReadonlyMap<K, V>): void {
  for (const [key, value] of source) target.set(key, value);
}
