import type { Bytes } from "../encoding/bytes.ts";

/**
 * A value of an ABI type: integers as bigint; addresses, bytes and strings as bytes, since a contract's string need
 * not be UTF-8; arrays and tuples as lists.
 */
export type AbiValue = bigint | boolean | Bytes | readonly AbiValue[];
