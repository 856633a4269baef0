import type { BatchDBOp, DB } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import type { LruCache } from "../../std/maps.ts";

export interface NodeArchive {
  node(key: Bytes): Bytes | undefined;
}

type Key = string | Uint8Array;

/** The library's key prefix of code, which separates code from nodes. */
const CODE = "63";

/** Key prefix of preimages of addresses and slots. */
const PREIMAGE = "70";

/** Trie nodes and code by hash. Writes stay in memory until a block is stored; those of calls are dropped. */
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

  /** Stores an address or slot key, since tries only have hashes. */
  keepPreimage(key: Bytes): void {
    this.#preimages.set(PREIMAGE + nameOf(keccak256(key)), key);
  }

  preimage(hash: Bytes): Bytes | undefined {
    return this.#archive.node(Buffer.from(PREIMAGE + nameOf(hash), "hex"));
  }

  /** Writes since the last call. */
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

  /** Old nodes are kept: other states may share them. */
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
