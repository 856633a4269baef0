import type { Bytes } from "../encoding/bytes.ts";

/**
 * A value of an ABI type: integers as bigint; addresses, bytes and strings as bytes, since a contract's string need
 * not be UTF-8; arrays and tuples as lists.
 */
export type AbiValue = bigint | boolean | Bytes | readonly AbiValue[];

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a `string`; undefined where its bytes are not UTF-8. */
export function textOf(bytes: Bytes): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
