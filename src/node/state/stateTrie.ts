import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { EMPTY_ROOT } from "../../chain/hashing/trie.ts";
import type { Branch, Child, Keep, Leaf, TrieNode } from "./trieNode.ts";
import { decodeNode, isHash, writeNode } from "./trieNode.ts";

type FindNode = (hash: Bytes) => Bytes | undefined;

/** Merkle-Patricia trie over hashed keys. Nodes are modified in place and hashed once, in `write`. */
export class StateTrie {
  readonly #find: FindNode;
  #root: Child | undefined;
  #isNewKey = false;

  constructor(root: Bytes, find: FindNode) {
    this.#find = find;
    this.#root = equalBytes(root, EMPTY_ROOT) ? undefined : root;
  }

  get(key: Bytes): Bytes | undefined {
    const path = pathOf(key);
    let node = this.#load(this.#root, (loaded) => {
      this.#root = loaded;
    });
    for (let depth = 0; node !== undefined; ) {
      if (node.kind === "leaf") return matches(node.path, path, depth) ? node.value : undefined;
      if (node.kind === "branch") {
        node = this.#childOf(node, path[depth]!);
        depth += 1;
      } else {
        const { path: shared } = node;
        if (!startsWith(path, shared, depth)) return undefined;
        depth += shared.length;
        const extension = node;
        node = this.#load(extension.child, (loaded) => {
          extension.child = loaded;
        });
      }
    }
    return undefined;
  }

  put(key: Bytes, value: Bytes): boolean {
    const root = this.#loadRoot();
    const path = pathOf(key);
    this.#isNewKey = root === undefined;
    this.#root = root === undefined ? leaf(path.slice(), value) : this.#insert(root, path, 0, value);
    return this.#isNewKey;
  }

  delete(key: Bytes): void {
    const root = this.#loadRoot();
    if (root !== undefined) this.#root = this.#remove(root, pathOf(key), 0);
  }

  /** In hash order. The trie must not change meanwhile. */
  *leaves(): Generator<readonly [hash: Bytes, value: Bytes]> {
    if (this.#root !== undefined) yield* this.#leavesBelow(this.#root, []);
  }

  *#leavesBelow(child: Child, path: readonly number[]): Generator<readonly [hash: Bytes, value: Bytes]> {
    const node = this.#resolve(child);
    if (node.kind === "leaf") yield [hashOf([...path, ...node.path]), node.value];
    else if (node.kind === "extension") yield* this.#leavesBelow(node.child, [...path, ...node.path]);
    else {
      for (const [nibble, next] of node.children.entries()) {
        if (next !== undefined) yield* this.#leavesBelow(next, [...path, nibble]);
      }
    }
  }

  write(keep: Keep): Bytes {
    const root = this.#root;
    if (root === undefined) return EMPTY_ROOT;
    if (isHash(root)) return root;
    const reference = writeNode(root, keep);
    if (reference.length === 32) return reference;
    const hash = keccak256(reference);
    keep(hash, reference);
    return hash;
  }

  #loadRoot(): TrieNode | undefined {
    return this.#load(this.#root, (loaded) => {
      this.#root = loaded;
    });
  }

  #childOf(branch: Branch, nibble: number): TrieNode | undefined {
    return this.#load(branch.children[nibble], (loaded) => {
      branch.children[nibble] = loaded;
    });
  }

  /** Loads a node referenced by hash and stores it in place. */
  #load(child: Child | undefined, place: (node: TrieNode) => void): TrieNode | undefined {
    return child && this.#resolve(child, place);
  }

  #resolve(child: Child, place?: (node: TrieNode) => void): TrieNode {
    if (!isHash(child)) return child;
    const rlp = this.#find(child);
    if (rlp === undefined) throw new Error(`the state has no node ${toHex(child)}`);
    const node = decodeNode(rlp, child);
    place?.(node);
    return node;
  }

  #insert(node: TrieNode, path: Bytes, depth: number, value: Bytes): TrieNode {
    if (node.kind === "branch") return this.#insertBelow(node, path, depth, value);
    const shared = sharedLength(node.path, path, depth);
    if (shared < node.path.length) {
      this.#isNewKey = true;
      return split(node, shared, path, depth, value);
    }
    if (node.kind === "leaf") {
      if (equalBytes(node.value, value)) return node;
      node.value = value;
    } else {
      const next = this.#insert(this.#resolve(node.child), path, depth + shared, value);
      node.child = next;
      if (next.reference !== undefined) return node;
    }
    node.reference = undefined;
    return node;
  }

  #insertBelow(branch: Branch, path: Bytes, depth: number, value: Bytes): Branch {
    const nibble = path[depth]!;
    const child = this.#childOf(branch, nibble);
    if (child === undefined) this.#isNewKey = true;
    const next = child === undefined ? leaf(path.slice(depth + 1), value) : this.#insert(child, path, depth + 1, value);
    branch.children[nibble] = next;
    if (next.reference === undefined) branch.reference = undefined;
    return branch;
  }

  #remove(node: TrieNode, path: Bytes, depth: number): TrieNode | undefined {
    if (node.kind === "leaf") return matches(node.path, path, depth) ? undefined : node;
    if (node.kind === "extension") {
      if (!startsWith(path, node.path, depth)) return node;
      const next = this.#remove(this.#resolve(node.child), path, depth + node.path.length);
      if (next === undefined) return undefined;
      node.child = next;
      return next.reference === undefined ? prepend(node.path, next) : node;
    }
    const nibble = path[depth]!;
    const child = this.#childOf(node, nibble);
    if (child === undefined) return node;
    const next = this.#remove(child, path, depth + 1);
    if (next !== undefined) {
      node.children[nibble] = next;
      if (next.reference === undefined) node.reference = undefined;
      return node;
    }
    node.children[nibble] = undefined;
    node.reference = undefined;
    return this.#collapse(node);
  }

  /** Merges a branch with a single child into it. */
  #collapse(branch: Branch): TrieNode {
    const only = branch.children.findIndex((child) => child !== undefined);
    const isOnly = branch.children.findLastIndex((child) => child !== undefined) === only;
    if (!isOnly) return branch;
    const child = this.#childOf(branch, only);
    return child === undefined ? branch : prepend(Uint8Array.of(only), child);
  }
}

function leaf(path: Bytes, value: Bytes): Leaf {
  return { kind: "leaf", path, value, reference: undefined };
}

/** Prepends nibbles to a node's path, or adds an extension. */
function prepend(path: Bytes, node: TrieNode): TrieNode {
  if (node.kind === "branch") return { kind: "extension", path, child: node, reference: undefined };
  node.path = Buffer.concat([path, node.path]);
  node.reference = undefined;
  return node;
}

/** Replaces a diverging path by a branch. */
function split(node: Exclude<TrieNode, Branch>, shared: number, path: Bytes, depth: number, value: Bytes): TrieNode {
  const children: (Child | undefined)[] = new Array(16).fill(undefined);
  children[node.path[shared]!] = behind(node, shared + 1);
  children[path[depth + shared]!] = leaf(path.slice(depth + shared + 1), value);
  const branch: Branch = { kind: "branch", children, reference: undefined };
  return shared === 0 ? branch : prepend(path.slice(depth, depth + shared), branch);
}

/** The node without the first nibbles of its path. */
function behind(node: Exclude<TrieNode, Branch>, from: number): Child {
  if (node.kind === "extension" && from === node.path.length) return node.child;
  return { ...node, path: node.path.slice(from), reference: undefined };
}

const scratch = new Uint8Array(64);

function pathOf(key: Bytes): Bytes {
  const hash = keccak256(key);
  for (let i = 0; i < 32; i++) {
    scratch[i * 2] = hash[i]! >> 4;
    scratch[i * 2 + 1] = hash[i]! & 15;
  }
  return scratch;
}

function hashOf(path: readonly number[]): Bytes {
  return Uint8Array.from({ length: 32 }, (_, index) => (path[index * 2]! << 4) | path[index * 2 + 1]!);
}

function matches(own: Bytes, path: Bytes, depth: number): boolean {
  return own.length === path.length - depth && startsWith(path, own, depth);
}

function startsWith(path: Bytes, own: Bytes, depth: number): boolean {
  return sharedLength(own, path, depth) === own.length;
}

function sharedLength(own: Bytes, path: Bytes, depth: number): number {
  let length = 0;
  while (length < own.length && own[length] === path[depth + length]) length++;
  return length;
}
