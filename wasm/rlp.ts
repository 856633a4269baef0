/** Writes RLP backwards, so that the length of a list is known when its header is written. */
let at: u32 = 0;
let end: u32 = 0;

export function beginRlp(limit: u32): void {
  end = limit;
  at = limit;
}

export function resetRlp(): void {
  at = end;
}

/** Where the written bytes start. */
export function rlpStart(): u32 {
  return at;
}

export function rlpLength(): u32 {
  return end - at;
}

export function writeByte(value: u32): void {
  store<u8>(--at, value);
}

export function writeRaw(from: u32, length: u32): void {
  at -= length;
  memory.copy(at, from, length);
}

export function writeString(from: u32, length: u32): void {
  if (length === 1 && load<u8>(from) < 0x80) {
    writeByte(load<u8>(from));
    return;
  }
  writeRaw(from, length);
  writeHeader(length, 0x80);
}

export function writeNumber(value: f64): void {
  let rest = <u64>value;
  if (rest === 0) {
    writeByte(0x80);
    return;
  }
  if (rest < 0x80) {
    writeByte(<u32>rest);
    return;
  }
  const before = at;
  for (; rest > 0; rest >>= 8) writeByte(<u32>rest & 0xff);
  writeHeader(before - at, 0x80);
}

/** Frames what was written since the length was `before`. */
export function closeList(before: u32): void {
  writeHeader(rlpLength() - before, 0xc0);
}

export function closeString(before: u32): void {
  const length = rlpLength() - before;
  if (length === 1 && load<u8>(at) < 0x80) return;
  writeHeader(length, 0x80);
}

function writeHeader(length: u32, base: u32): void {
  if (length < 56) {
    writeByte(base + length);
    return;
  }
  const before = at;
  for (let rest = length; rest > 0; rest >>= 8) writeByte(rest & 0xff);
  writeByte(base + 55 + (before - at));
}

/** Bytes of the header of a list or string of this length. */
export function headerSize(length: u32): u32 {
  if (length < 56) return 1;
  return 1 + ((39 - clz(length)) >> 3);
}
