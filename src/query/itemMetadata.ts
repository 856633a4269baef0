import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import type { Head } from "../chain/source.ts";
import { LruCache } from "../std/maps.ts";
import type { ReadSession } from "../store/session.ts";

/** Metadata of an item, or why it is unknown. */
export interface ItemMetadata {
  /** Result of `tokenURI` or `uri`, truncated. */
  readonly uri: string | null;
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly problem: string | null;
}

/** JSON characters shown in lists. */
export const MAX_KEPT_LENGTH = 8192;

/** Characters per cache generation. */
const MAX_KEPT = 4 << 20;
const OVERHEAD = 256;

type At = Pick<Head, "number" | "hash">;

interface NamedItem {
  readonly token: { readonly address: Bytes };
  readonly tokenId: Bytes;
}

interface Kept {
  /** Undefined if too long for lists. */
  readonly metadata: ItemMetadata | undefined;
  readonly text: string;
  readonly at: At;
}

/** Cache of recently read metadata, for lists. */
export class CachedMetadata {
  readonly #kept = new LruCache<string, Kept>(MAX_KEPT, ({ text }, key) => text.length + key.length + OVERHEAD);
  #changes = 0;

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

  /** In order. Hides metadata read at a block that was removed. */
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

/** Resolves URIs other than `data:`. */
export interface MetadataDocuments {
  read(uri: string): Promise<string>;
}

export const NO_DOCUMENTS: MetadataDocuments = {
  read: async () => {
    throw new ChainError("unsupported", "the URI is not followed: no host is allowed");
  },
};
