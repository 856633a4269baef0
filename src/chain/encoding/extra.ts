import { clip } from "./hex.ts";

/** Unknown fields kept verbatim: L2 and fork additions such as `l1Fee` or `milliTimestamp`. */
export type Extra = { readonly [key: string]: unknown };

export interface ExtraFields {
  readonly extra?: Extra;
  /** Number of fields dropped for size; `extra` is set then. */
  readonly omittedFields?: number;
}

export const MAX_EXTRA_BYTES = 4096;

export const MAX_BLOCK_EXTRA_BYTES = 4 << 20;

/** Deeper values would overflow the stack in JSON.stringify. */
const MAX_DEPTH = 16;

/** Collects unknown fields within size limits. The block hash does not cover them, so a node may send anything. */
export class ExtraReader {
  #left = MAX_BLOCK_EXTRA_BYTES;
  #omission: string | undefined;

  get omission(): string | undefined {
    return this.#omission;
  }

  read(wire: Extra, known: ReadonlySet<string>, record: string): ExtraFields | undefined {
    let extra: Record<string, unknown> | undefined;
    let omittedFields = 0;
    let left = Math.min(MAX_EXTRA_BYTES, this.#left);
    for (const key in wire) {
      if (known.has(key)) continue;
      // Without a prototype, `__proto__` is an ordinary key.
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

/** Size of a value as JSON; any number above `limit` if it exceeds that. */
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
