import { giveUp, position, begin as setCursor, take } from "./text.ts";

/**
 * Names of the fields of a kind of record. Nodes write fields in the same order in every record, so the one that came
 * next the last time is tried first.
 */
const ENTRY: u32 = 32;
const MAX_KEYS: u32 = 32;

/** For each kind: names, padded with zeros and with the length last, then the next id by the one before. */
export class Keys {
  count: u32 = 0;
  names: usize = 0;
  /** The id expected after each id; the first one after `MAX_KEYS`. */
  next: usize = 0;
}

export function keysOf(names: string): Keys {
  const keys = new Keys();
  keys.names = heap.alloc(MAX_KEYS * ENTRY);
  keys.next = heap.alloc(MAX_KEYS + 1);
  memory.fill(keys.names, 0, MAX_KEYS * ENTRY);
  memory.fill(keys.next, 0, MAX_KEYS + 1);
  let at: u32 = 0;
  for (let i = 0; i <= names.length; i++) {
    const code = i === names.length ? 0x20 : names.charCodeAt(i);
    if (code === 0x20) {
      store<u8>(keys.names + keys.count * ENTRY + ENTRY - 1, at);
      keys.count++;
      at = 0;
    } else store<u8>(keys.names + keys.count * ENTRY + at++, code);
  }
  return keys;
}

export let seen: u32 = 0;
let previous: u32 = MAX_KEYS;

/** Before the first key of a record. */
export function beginKeys(): void {
  seen = 0;
  previous = MAX_KEYS;
}

/** State of the record that a nested one interrupts. */
export function keepKeys(): u64 {
  return ((<u64>previous) << 32) | <u64>seen;
}

export function resumeKeys(kept: u64): void {
  seen = <u32>kept;
  previous = <u32>(kept >> 32);
}

/** Reads a key and its colon. Its id, or -1 for one that is unknown or came before. */
export function readKey(keys: Keys): i32 {
  if (!take(0x22)) return refuse();
  const at = position();
  const guess = <u32>load<u8>(keys.next + previous);
  let id = isNamed(keys, guess, at) ? guess : MAX_KEYS;
  if (id === MAX_KEYS) {
    for (let other: u32 = 0; other < keys.count; other++) {
      if (!isNamed(keys, other, at)) continue;
      id = other;
      store<u8>(keys.next + previous, other);
      break;
    }
  }
  if (id === MAX_KEYS || ((seen >> id) & 1) === 1) return refuse();
  seen |= 1 << id;
  previous = id;
  setCursor(at + <u32>load<u8>(keys.names + id * ENTRY + ENTRY - 1) + 1);
  return take(0x3a) ? <i32>id : refuse();
}

function refuse(): i32 {
  giveUp();
  return -1;
}

/** Whether the name, and the quote behind it, stand at `at`. */
function isNamed(keys: Keys, id: u32, at: u32): bool {
  const name = keys.names + id * ENTRY;
  const length = <u32>load<u8>(name + ENTRY - 1);
  if (load<u8>(at + length) !== 0x22) return false;
  if (length >= 8) {
    if (load<u64>(at) !== load<u64>(name) || load<u64>(at + length - 8) !== load<u64>(name + length - 8)) return false;
    return length <= 16 || load<u64>(at + 8) === load<u64>(name + 8);
  }
  for (let i: u32 = 0; i < length; i++) if (load<u8>(at + i) !== load<u8>(name + i)) return false;
  return true;
}
