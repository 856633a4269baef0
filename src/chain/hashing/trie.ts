import type { Bytes, Hash } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import { keccak256 } from "./keccak.ts";

/** Trie root of an empty list: keccak of the empty RLP string. */
export const EMPTY_ROOT: Hash = keccak256(new Uint8Array([0x80]));

/** Roots accepted for an empty list: hardhat's genesis has the keccak of no bytes. */
export const ROOTS_OF_NONE: readonly Hash[] = [EMPTY_ROOT, keccak256(EMPTY)];

/**
 * Merkle-Patricia root of a list keyed by RLP(index), as used for transactions, receipts and withdrawals. `write` puts
 * an item into an empty writer.
 */
export function orderedTrieRoot<T>(items: readonly T[], write: WriteItem<T>): Hash {
  if (items.length === 0) return EMPTY_ROOT;
  const root = new OrderedTrie(items, write).node(0, items.length, 0);
  return root.length === 32 ? root : keccak256(root);
}

/** Shared: each node is hashed or copied before the next is written. */
const scratch = new RlpWriter();

type WriteItem<T> = (item: T, writer: RlpWriter, index: number) => void;

class OrderedTrie<T> {
  readonly #items: readonly T[];
  readonly #order: number[];
  readonly #keys: Bytes[];
  readonly #write: WriteItem<T>;
  readonly #writer = scratch;

  constructor(items: readonly T[], write: WriteItem<T>) {
    this.#items = items;
    this.#order = keyOrder(items.length);
    this.#keys = this.#order.map(keyNibbles);
    this.#write = write;
  }

  /**
   * Reference to the node over keys [from, to) below `depth`: its hash, or the node itself if shorter than 32 bytes.
   */
  node(from: number, to: number, depth: number): Bytes {
    if (to - from === 1) return this.#leaf(from, depth);
    const first = this.#keys[from]!;
    const split = commonPrefix(first, this.#keys[to - 1]!, depth);
    const branch = this.#branch(from, to, split);
    return split === depth ? branch : this.#extension(first.subarray(depth, split), branch);
  }

  #leaf(at: number, depth: number): Bytes {
    const writer = this.#writer;
    writer.reset();
    const index = this.#order[at]!;
    this.#write(this.#items[index]!, writer, index);
    writer.closeString(0);
    writer.string(compactPath(this.#keys[at]!.subarray(depth), true));
    writer.closeList(0);
    return reference(writer);
  }

  #branch(from: number, to: number, depth: number): Bytes {
    const children: Bytes[] = [];
    for (let start = from; start < to; ) {
      const nibble = this.#keys[start]![depth]!;
      let end = start + 1;
      while (end < to && this.#keys[end]![depth] === nibble) end++;
      children[nibble] = this.node(start, end, depth + 1);
      start = end;
    }
    const writer = this.#writer;
    writer.reset();
    writer.byte(0x80);
    for (let nibble = 15; nibble >= 0; nibble--) writeChild(writer, children[nibble]);
    writer.closeList(0);
    return reference(writer);
  }

  #extension(path: Bytes, child: Bytes): Bytes {
    const writer = this.#writer;
    writer.reset();
    writeChild(writer, child);
    writer.string(compactPath(path, false));
    writer.closeList(0);
    return reference(writer);
  }
}

function writeChild(writer: RlpWriter, child: Bytes | undefined): void {
  if (child === undefined) writer.byte(0x80);
  else if (child.length === 32) writer.string(child);
  else writer.raw(child);
}

function reference(writer: RlpWriter): Bytes {
  return writer.length < 32 ? writer.written.slice() : keccak256(writer.written);
}

/** Indexes in byte order of their RLP keys: 1..127 are one byte, 0 is 0x80, the rest have a length prefix. */
function keyOrder(count: number): number[] {
  const order: number[] = [];
  for (let index = 1; index < Math.min(count, 128); index++) order.push(index);
  order.push(0);
  for (let index = 128; index < count; index++) order.push(index);
  return order;
}

const keys: Bytes[] = [];

function keyNibbles(index: number): Bytes {
  const known = keys[index];
  if (known !== undefined) return known;
  const writer = new RlpWriter();
  writer.number(index);
  const nibbles = new Uint8Array(writer.length * 2);
  writer.written.forEach((byte, at) => {
    nibbles[at * 2] = byte >> 4;
    nibbles[at * 2 + 1] = byte & 15;
  });
  keys[index] = nibbles;
  return nibbles;
}

function commonPrefix(a: Bytes, b: Bytes, from: number): number {
  let at = from;
  while (a[at] === b[at]) at++;
  return at;
}

/** Hex-prefix encoding of a nibble path. */
export function compactPath(nibbles: Bytes, isLeaf: boolean): Bytes {
  const odd = nibbles.length % 2;
  const path = new Uint8Array((nibbles.length >> 1) + 1);
  path[0] = ((isLeaf ? 2 : 0) + odd) * 16 + (odd === 1 ? nibbles[0]! : 0);
  for (let i = odd, at = 1; i < nibbles.length; i += 2) path[at++] = nibbles[i]! * 16 + nibbles[i + 1]!;
  return path;
}
