import type { BatchDBOp, DB } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { LruCache } from "../../std/lruCache.ts";

/** Where nodes are kept for good. */
export interface NodeArchive {
  node(key: Bytes): Bytes | undefined;
}

type Key = string | Uint8Array;

/** The library puts this letter before the hash of code, so that no code is taken for a node; so do we. */
const CODE = "63";

/** Before the hash of an address or of the key of a slot. */
const PREIMAGE = "70";

/**
 * Nodes of state tries and contract code, by hash. What is written stays in memory until a block is stored with it;
 * what a call writes is dropped.
 */
export class StateNodes implements DB<string, Uint8Array> {
  readonly #archive: NodeArchive;
  readonly #recent: LruCache<string, Bytes>;
  #fresh = new Map<string, Bytes>();
  #preimages = new Map<string, Bytes>();

  constructor(archive: NodeArchive, recent: LruCache<string, Bytes>) {
    this.#archive = archive;
    this.#recent = recent;
  }

  find(hash: Bytes): Bytes | undefined {
    return this.#find(nameOf(hash));
  }

  keep(hash: Bytes, rlp: Bytes): void {
    this.#fresh.set(nameOf(hash), rlp);
  }

  code(hash: Bytes): Bytes | undefined {
    return this.#find(CODE + nameOf(hash));
  }

  keepCode(hash: string, code: Bytes): void {
    this.#fresh.set(CODE + hash, code);
  }

  /** Keeps an address or the key of a slot: a trie has only their hashes. */
  keepPreimage(key: Bytes): void {
    this.#preimages.set(PREIMAGE + nameOf(keccak256(key)), key);
  }

  preimage(hash: Bytes): Bytes | undefined {
    return this.#archive.node(Buffer.from(PREIMAGE + nameOf(hash), "hex"));
  }

  /** What was written since the last time. */
  take(): ReadonlyMap<string, Bytes> {
    const taken = this.#fresh;
    for (const [name, value] of taken) this.#recent.set(name, value);
    for (const [name, key] of this.#preimages) taken.set(name, key);
    this.#fresh = new Map();
    this.#preimages = new Map();
    return taken;
  }

  #find(name: string): Bytes | undefined {
    const known = this.#fresh.get(name) ?? this.#recent.get(name);
    if (known !== undefined) return known;
    const kept = this.#archive.node(Buffer.from(name, "hex"));
    if (kept !== undefined) this.#recent.set(name, kept);
    return kept;
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    return this.#find(nameOf(key));
  }

  async put(key: Key, value: Uint8Array): Promise<void> {
    this.#fresh.set(nameOf(key), value);
  }

  /** A trie names the nodes it no longer needs, but another state may stand on them. */
  async del(_key: Key): Promise<void> {}

  async batch(operations: BatchDBOp<string, Uint8Array>[]): Promise<void> {
    for (const operation of operations) if (operation.type === "put") await this.put(operation.key, operation.value);
  }

  async open(): Promise<void> {}

  shallowCopy(): StateNodes {
    return this;
  }
}

function nameOf(key: Key): string {
  if (typeof key === "string") return key;
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString("hex");
}
