/** Where the parts of memory lie while one block is decoded: the two documents, their fields, their records, scratch. */

/** Zeroed bytes after each document: no string or number goes on past its end. */
export const SLACK: u32 = 128;

/** Decoded fields, one after another. Offsets of fields count from `fieldsStart`; 0 means there is none. */
export let fieldsStart: u32 = 0;
export let fieldsEnd: u32 = 0;

/** Records of a fixed size, which hold numbers and offsets of fields. */
export let recordsStart: u32 = 0;
export let recordsEnd: u32 = 0;

/** More is left to the host's decoder. */
const MAX_PAGES: u32 = 2048;

/** Room for `size` bytes from `at` on. False where the bound would be exceeded. */
export function reserve(at: u32, size: u32): bool {
  const end = <u64>at + <u64>size + <u64>SLACK;
  const pages = <u32>((end + 0xffff) >> 16);
  const have = <u32>memory.size();
  if (pages <= have) return true;
  if (pages > MAX_PAGES) return false;
  return memory.grow(<i32>(max(pages, min(have * 2, MAX_PAGES)) - have)) >= 0;
}

/** Fields take about half as many bytes as the text they come from; entries of lists, less than three quarters. */
export function beginFields(at: u32, documents: u32): bool {
  fieldsStart = (at + 15) & ~15;
  fieldsEnd = fieldsStart + 16;
  recordsStart = (fieldsEnd + documents - (documents >> 2) + 127) & ~15;
  recordsEnd = recordsStart;
  return reserve(recordsStart, 1 << 16);
}

export function setFieldsEnd(at: u32): void {
  fieldsEnd = at;
}

/** A zeroed record, or 0 where memory is exhausted. */
export function newRecord(size: u32): u32 {
  const at = recordsEnd;
  if (!reserve(at, size)) return 0;
  memory.fill(at, 0, size);
  recordsEnd = at + size;
  return at;
}
