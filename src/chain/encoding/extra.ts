import { clip } from "./hex.ts";

/** Fields we do not know, kept as they came: L2 and fork additions such as `l1Fee` or `milliTimestamp`. */
export type Extra = { readonly [key: string]: unknown };

/** The fields of a record that we do not know, as far as they are kept. */
export interface ExtraFields {
  readonly extra?: Extra;
  /** How many fields were too large to keep; `extra` is there then. */
  readonly omittedFields?: number;
}

/** What is kept of the unknown fields of one header, transaction, receipt or log, as JSON. */
export const MAX_EXTRA_BYTES = 4096;

/** What is kept of all of them in one block. */
export const MAX_BLOCK_EXTRA_BYTES = 4 << 20;

/** Deeper values are not kept: to write them as JSON would overflow the stack. */
const MAX_DEPTH = 16;

/** Reads the unknown fields of one block. Nothing commits to them, so a node may send any, of any size. */
export class ExtraReader {
  #left = MAX_BLOCK_EXTRA_BYTES;
  #omission: string | undefined;

  /** The first field that was not kept. */
  get omission(): string | undefined {
    return this.#omission;
  }

  read(wire: Extra, known: ReadonlySet<string>, record: string): ExtraFields | undefined {
    let extra: Record<string, unknown> | undefined;
    let omittedFields = 0;
    let left = Math.min(MAX_EXTRA_BYTES, this.#left);
    for (const key in wire) {
      if (known.has(key)) continue;
      // Without a prototype, a field that a node calls `__proto__` is a field like any other.
      extra ??= Object.create(null) as Record<string, unknown>;
      const size = sizeOf(key, left) + sizeOf(wire[key], left) + 2;
      if (size > left) {
        omittedFields++;
        continue;
      }
      left -= size;
      this.#left -= size;
      extra[key] = wire[key];
    }
    if (extra === undefined) return undefined;
    if (omittedFields === 0) return { extra };
    this.#omission ??= describe(wire, known, extra, `${omittedFields} unknown fields of a ${record} are not kept`);
    return { extra, omittedFields };
  }
}

function describe(wire: Extra, known: ReadonlySet<string>, kept: Extra, what: string): string {
  for (const key in wire) {
    if (!known.has(key) && !Object.hasOwn(kept, key)) return `${what}: ${clip(JSON.stringify(key.slice(0, 100)), 60)}`;
  }
  return what;
}

/** The bytes of a value as JSON; where they are more than `limit`, any number above it. */
function sizeOf(value: unknown, limit: number, depth = 0): number {
  if (typeof value === "string") {
    return value.length > limit ? Number.POSITIVE_INFINITY : Buffer.byteLength(JSON.stringify(value));
  }
  if (typeof value !== "object" || value === null) return String(value).length;
  if (depth >= MAX_DEPTH) return Number.POSITIVE_INFINITY;
  let size = 2;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && size <= limit; at++) size += 1 + sizeOf(value[at], limit - size, depth + 1);
    return size;
  }
  for (const key in value) {
    size += 2 + sizeOf(key, limit - size) + sizeOf((value as Extra)[key], limit - size, depth + 1);
    if (size > limit) break;
  }
  return size;
}
