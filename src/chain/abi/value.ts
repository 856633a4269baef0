import type { Bytes } from "../encoding/bytes.ts";

/** Integers are bigint. Strings are bytes, since they need not be UTF-8. Arrays and tuples are lists. */
export type AbiValue = bigint | boolean | Bytes | readonly AbiValue[];

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function textOf(bytes: Bytes): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
