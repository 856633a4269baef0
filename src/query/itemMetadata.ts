import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Head } from "../chain/source.ts";
import { LruCache } from "../std/maps.ts";
import type { ReadSession } from "../store/session.ts";

/** What a contract says of an item, or why that is not known. */
export interface ItemMetadata {
  /** What `tokenURI` or `uri` answers, cut where it is long. */
  readonly uri: string | null;
  readonly json: Readonly<Record<string, unknown>> | null;
  /** Why there are none, in words. */
  readonly problem: string | null;
}

/** Characters of metadata that lists show, as JSON. */
export const MAX_KEPT_LENGTH = 8192;

/** Characters of metadata kept of late, and as many of those used before. */
const MAX_KEPT = 4 << 20;
const OVERHEAD = 256;

type At = Pick<Head, "number" | "hash">;

/** An item by the address of its token and its id. */
interface NamedItem {
  readonly token: { readonly address: Bytes };
  readonly tokenId: Bytes;
}

interface Kept {
  /** Undefined where they are too long for lists. */
  readonly metadata: ItemMetadata | undefined;
  readonly text: string;
  /** The block after which the contract said so. */
  readonly at: At;
}

/** The metadata that were read of late, for lists: these ask nobody. */
export class KeptMetadata {
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT, ({ text }, key) => text.length + key.length + OVERHEAD);
  #changes = 0;

  /** How often lists became others by what was kept. */
  get changes(): number {
    return this.#changes;
  }

  keep(item: NamedItem, metadata: ItemMetadata, at: At): void {
    const whole = JSON.stringify(metadata);
    const isShort = whole.length <= MAX_KEPT_LENGTH;
    const [key, text] = [keyOf(item), isShort ? whole : ""];
    const known = this.#kept.get(key);
    if (known?.text !== text || !equalBytes(known.at.hash, at.hash)) this.#changes++;
    this.#kept.set(key, { metadata: isShort ? metadata : undefined, text, at });
  }

  /** The metadata of items, in their order. What was said after a block that is gone is not shown. */
  async of(items: readonly NamedItem[], { blocks }: ReadSession): Promise<(ItemMetadata | undefined)[]> {
    const found = items.map((item) => this.#kept.get(keyOf(item)));
    const numbers = new Set(found.flatMap((kept) => kept?.at.number ?? []));
    const headers = numbers.size === 0 ? undefined : await blocks.headers(numbers);
    return found.map((kept) => {
      const now = kept && headers?.get(kept.at.number)?.header.hash;
      return now !== undefined && equalBytes(now, kept!.at.hash) ? kept!.metadata : undefined;
    });
  }
}

const keyOf = ({ token, tokenId }: NamedItem): string => `${toHex(token.address)} ${toHex(tokenId)}`;

/** Where URIs lead to that are no data themselves. */
export interface MetadataDocuments {
  /** Throws a `ChainError` that says why there is none. */
  read(uri: string): Promise<string>;
}

/** Where no host is allowed. */
export const NO_DOCUMENTS: MetadataDocuments = {
  read: async () => {
    throw new ChainError("unsupported", "the URI is not followed: no host is allowed");
  },
};
