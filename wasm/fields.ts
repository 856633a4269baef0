import { fieldsStart } from "./memory.ts";
import { fieldLength, isUnknown, readBytes, readFixed, readNumber, readUint, takeNull } from "./text.ts";

/** Readers of one field into a record. False where the form is unknown. */

export function address(at: u32): u32 {
  return at + fieldsStart;
}

/** The bytes of a field of a record. */
export function bytesOf(record: u32, field: u32): u32 {
  return load<u32>(record + field) + fieldsStart;
}

export function has(record: u32, field: u32): bool {
  return load<u32>(record + field) !== 0;
}

export function putFixed(record: u32, field: u32, size: u32): bool {
  const at = readFixed(size);
  store<u32>(record + field, at - fieldsStart);
  return !isUnknown;
}

export function putFixedOrNull(record: u32, field: u32, size: u32): bool {
  return takeNull() || putFixed(record, field, size);
}

export function putUint(record: u32, field: u32): bool {
  const at = readUint();
  store<u32>(record + field, at - fieldsStart);
  store<u32>(record + field + 4, fieldLength);
  return !isUnknown;
}

export function putUintOrNull(record: u32, field: u32): bool {
  return takeNull() || putUint(record, field);
}

export function putBytes(record: u32, field: u32): bool {
  const at = readBytes();
  store<u32>(record + field, at - fieldsStart);
  store<u32>(record + field + 4, fieldLength);
  return !isUnknown;
}

export function putNumber(record: u32, field: u32): bool {
  store<f64>(record + field, readNumber());
  return !isUnknown;
}

/** A number that repeats another: absent ones stay NaN. */
export function putCopy(record: u32, field: u32): bool {
  return takeNull() || putNumber(record, field);
}

export function equalBytes(a: u32, b: u32, size: u32): bool {
  return memory.compare(a, b, size) === 0;
}

export function isSame(copy: f64, value: f64): bool {
  return isNaN(copy) || copy === value;
}
