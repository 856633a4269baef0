import { keccak } from "./keccak.ts";
import { closeList, closeString, resetRlp, rlpLength, rlpStart, writeByte, writeRaw, writeString } from "./rlp.ts";

/**
 * Merkle-Patricia root of a list keyed by RLP(index). The shape depends only on the number of items. Each node is hashed,
 * or kept in its parent if it is shorter than 32 bytes: 33 bytes hold its length and either of them.
 */
const REFERENCE: u32 = 40;
const DEPTH: u32 = 12;
const children: u32 = <u32>memory.data(7680, 16);
const path: u32 = <u32>memory.data(16, 16);

/** Writes an item, the preimage of its leaf, to the empty RLP writer. */
let writeItem: (index: u32) => bool = none;

function none(_index: u32): bool {
  return false;
}

/** Writes the root of `count` items, above 0, to `target`. False if an item cannot be written. */
export function trieRoot(count: u32, write: (index: u32) => bool, target: u32): bool {
  writeItem = write;
  if (!writeNode(0, count, 0, 0, count, target)) return false;
  if (load<u8>(target + 32) === 32) return true;
  keccak(target, load<u8>(target + 32), target);
  return true;
}

/** The index of the item whose key is at place `at` in byte order: 1 to 127 are one byte, 0 is 0x80, others longer. */
function indexAt(at: u32, count: u32): u32 {
  const short = min<u32>(count, 128);
  if (at + 1 < short) return at + 1;
  return at + 1 === short ? 0 : at;
}

/** Bytes of RLP(index), as a big-endian number. */
function keyOf(index: u32): u32 {
  if (index === 0) return 0x80;
  if (index < 0x80) return index;
  if (index < 0x100) return 0x8100 | index;
  return index < 0x10000 ? 0x820000 | index : 0x83000000 | index;
}

function nibbleCount(index: u32): u32 {
  if (index < 0x80) return 2;
  if (index < 0x100) return 4;
  return index < 0x10000 ? 6 : 8;
}

function nibbleAt(index: u32, depth: u32): u32 {
  return (keyOf(index) >> ((nibbleCount(index) - 1 - depth) << 2)) & 15;
}

/** The node over the keys [from, to) below `depth`, where `level` nodes are above it. */
function writeNode(from: u32, to: u32, depth: u32, level: u32, count: u32, target: u32): bool {
  if (level >= DEPTH) return false;
  const first = indexAt(from, count);
  if (to - from === 1) {
    resetRlp();
    if (!writeItem(first)) return false;
    closeString(0);
    writePath(first, depth, nibbleCount(first), true);
    return refer(target);
  }
  const last = indexAt(to - 1, count);
  let split = depth;
  while (nibbleAt(first, split) === nibbleAt(last, split)) split++;
  if (!writeBranch(from, to, split, level, count, target)) return false;
  if (split === depth) return true;
  resetRlp();
  writeChild(target);
  writePath(first, depth, split, false);
  return refer(target);
}

function writeBranch(from: u32, to: u32, depth: u32, level: u32, count: u32, target: u32): bool {
  const slots = children + level * 16 * REFERENCE;
  for (let nibble: u32 = 0; nibble < 16; nibble++) store<u8>(slots + nibble * REFERENCE + 32, 0);
  for (let start = from; start < to; ) {
    const nibble = nibbleAt(indexAt(start, count), depth);
    let end = start + 1;
    while (end < to && nibbleAt(indexAt(end, count), depth) === nibble) end++;
    if (!writeNode(start, end, depth + 1, level + 1, count, slots + nibble * REFERENCE)) return false;
    start = end;
  }
  resetRlp();
  writeByte(0x80);
  for (let nibble: i32 = 15; nibble >= 0; nibble--) writeChild(slots + nibble * REFERENCE);
  closeList(0);
  return refer(target);
}

function writeChild(slot: u32): void {
  const length = <u32>load<u8>(slot + 32);
  if (length === 0) writeByte(0x80);
  else if (length === 32) writeString(slot, 32);
  else writeRaw(slot, length);
}

/** Hex-prefix encoding of the nibbles [from, to) of a key, and the frame of its node. */
function writePath(index: u32, from: u32, to: u32, isLeaf: bool): void {
  const odd = (to - from) & 1;
  const flags: u32 = ((isLeaf ? 2 : 0) + odd) << 4;
  store<u8>(path, odd === 1 ? flags | nibbleAt(index, from) : flags);
  let length: u32 = 1;
  for (let at = from + odd; at < to; at += 2) {
    store<u8>(path + length++, (nibbleAt(index, at) << 4) | nibbleAt(index, at + 1));
  }
  writeString(path, length);
  closeList(0);
}

function refer(target: u32): bool {
  const length = rlpLength();
  if (length < 32) memory.copy(target, rlpStart(), length);
  else keccak(rlpStart(), length, target);
  store<u8>(target + 32, min<u32>(length, 32));
  return true;
}
