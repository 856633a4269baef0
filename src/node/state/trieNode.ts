import type { Bytes } from "../../chain/encoding/bytes.ts";
import { RlpWriter } from "../../chain/encoding/rlp.ts";
import { ChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { compactPath } from "../../chain/hashing/trie.ts";
import { itemAt } from "../../std/values.ts";
import type { RlpItem } from "./rlpFields.ts";
import { asString, decodeList } from "./rlpFields.ts";

/** Hash of the RLP, or the RLP itself if shorter than a hash. */
type Reference = Bytes;

/** Paths are nibbles. `reference` is set while the node and its subtree are unchanged. */
export interface Leaf {
  readonly kind: "leaf";
  path: Bytes;
  value: Bytes;
  reference: Reference | undefined;
}

interface Extension {
  readonly kind: "extension";
  path: Bytes;
  child: Child;
  reference: Reference | undefined;
}

export interface Branch {
  readonly kind: "branch";
  readonly children: (Child | undefined)[];
  reference: Reference | undefined;
}

export type TrieNode = Leaf | Extension | Branch;

/** A node, or the hash of an unloaded one. */
export type Child = TrieNode | Bytes;

export function isHash(child: Child): child is Bytes {
  return child instanceof Uint8Array;
}

export function decodeNode(rlp: Bytes, reference: Bytes): TrieNode {
  const node = toNode(decodeList(rlp));
  node.reference = reference;
  return node;
}

function toNode(items: readonly RlpItem[]): TrieNode {
  if (items.length === 17) return { kind: "branch", children: items.slice(0, 16).map(toChild), reference: undefined };
  const [first, content] = items;
  const encoded = asString(first);
  const flags = itemAt(encoded, 0);
  const path = fromCompact(encoded, flags);
  if ((flags & 0x20) !== 0) return { kind: "leaf", path, value: asString(content), reference: undefined };
  const child = content && toChild(content);
  if (child === undefined) throw new ChainError("store_corrupt", "an extension of the trie leads nowhere");
  return { kind: "extension", path, child, reference: undefined };
}

function toChild(item: RlpItem): Child | undefined {
  if (Array.isArray(item)) return toNode(item);
  return item.length === 0 ? undefined : item;
}

function fromCompact(encoded: Bytes, flags: number): Bytes {
  const odd = (flags & 0x10) !== 0 ? 1 : 0;
  const path = new Uint8Array((encoded.length - 1) * 2 + odd);
  if (odd === 1) path[0] = flags & 15;
  for (let i = 1, at: number = odd; i < encoded.length; i++, at += 2) {
    path[at] = encoded[i]! >> 4;
    path[at + 1] = encoded[i]! & 15;
  }
  return path;
}

/** Stores a node by hash. */
export type Keep = (hash: Bytes, rlp: Bytes) => void;

const writer = new RlpWriter();

/** Writes changed nodes and returns the parent's reference. */
export function writeNode(node: TrieNode, keep: Keep): Reference {
  if (node.reference !== undefined) return node.reference;
  const references = referencesBelow(node, keep);
  writer.reset();
  if (node.kind === "branch") {
    writer.byte(0x80);
    for (let nibble = 15; nibble >= 0; nibble--) writeReference(references[nibble]);
  } else {
    if (node.kind === "leaf") writer.string(node.value);
    else writeReference(references[0]);
    writer.string(compactPath(node.path, node.kind === "leaf"));
  }
  writer.closeList(0);
  const rlp = writer.written.slice();
  node.reference = rlp;
  if (rlp.length < 32) return rlp;
  node.reference = keccak256(rlp);
  keep(node.reference, rlp);
  return node.reference;
}

function referencesBelow(node: TrieNode, keep: Keep): (Reference | undefined)[] {
  const refer = (child: Child) => (isHash(child) ? child : writeNode(child, keep));
  if (node.kind === "branch") return node.children.map((child) => child && refer(child));
  return node.kind === "extension" ? [refer(node.child)] : [];
}

function writeReference(reference: Reference | undefined): void {
  if (reference === undefined) writer.byte(0x80);
  else if (reference.length === 32) writer.string(reference);
  else writer.raw(reference);
}
