import { RLP } from "@ethereumjs/rlp";
import type { BatchDBOp, DB } from "@ethereumjs/util";
import type { Bytes } from "../../chain/bytes.ts";
import type { RecentNodes } from "./recentNodes.ts";

/** Where nodes are kept for good. */
export interface NodeArchive {
  node(key: Bytes): Bytes | undefined;
}

type Key = string | Uint8Array;

/**
 * The nodes of state tries and the code of contracts, by their hash in hex. What is written stays in memory, until a
 * block keeps what its state root reaches; a call forgets it.
 */
export class StateNodes implements DB<string, Uint8Array> {
  readonly #archive: NodeArchive;
  readonly #recent: RecentNodes;
  #fresh = new Map<string, Bytes>();

  constructor(archive: NodeArchive, recent: RecentNodes) {
    this.#archive = archive;
    this.#recent = recent;
  }

  async get(key: Key): Promise<Uint8Array | undefined> {
    const name = nameOf(key);
    const known = this.#fresh.get(name) ?? this.#recent.get(name);
    if (known !== undefined) return known;
    const kept = this.#archive.node(Buffer.from(name, "hex"));
    if (kept !== undefined) this.#recent.set(name, kept);
    return kept;
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

  /** What was written since the last time and belongs to the state of this root; the rest is dropped. */
  take(root: Bytes): Map<string, Bytes> {
    const taken = new Map<string, Bytes>();
    for (const [name, value] of this.#fresh) if (isCode(name)) taken.set(name, value);
    collect(Buffer.from(root).toString("hex"), this.#fresh, taken, true);
    for (const [name, value] of taken) this.#recent.set(name, value);
    this.#fresh = new Map();
    return taken;
  }

  forget(): void {
    this.#fresh = new Map();
  }
}

function nameOf(key: Key): string {
  return typeof key === "string" ? key : Buffer.from(key).toString("hex");
}

/** The library puts a letter before the hash of code, so that no code is taken for a node. */
function isCode(name: string): boolean {
  return name.length > 64;
}

function collect(
  name: string,
  fresh: ReadonlyMap<string, Bytes>,
  taken: Map<string, Bytes>,
  isAccounts: boolean,
): void {
  const value = fresh.get(name);
  if (value === undefined || taken.has(name)) return;
  taken.set(name, value);
  follow(RLP.decode(value) as Item, fresh, taken, isAccounts);
}

type Item = Uint8Array | Item[];

/** Goes into the children of a node: by hash, or inside it where they are short. */
function follow(node: Item, fresh: ReadonlyMap<string, Bytes>, taken: Map<string, Bytes>, isAccounts: boolean): void {
  if (!Array.isArray(node)) return;
  if (node.length === 2 && ((node[0] as Uint8Array)[0]! & 0x20) !== 0) {
    if (isAccounts) collect(storageRootOf(node[1] as Uint8Array), fresh, taken, false);
    return;
  }
  const children = node.length === 2 ? [node[1]!] : node.slice(0, 16);
  for (const child of children) {
    if (Array.isArray(child)) follow(child, fresh, taken, isAccounts);
    else if (child.length === 32) collect(Buffer.from(child).toString("hex"), fresh, taken, isAccounts);
  }
}

function storageRootOf(account: Uint8Array): string {
  const [, , storageRoot] = RLP.decode(account) as Uint8Array[];
  return Buffer.from(storageRoot!).toString("hex");
}
