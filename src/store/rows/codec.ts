import type { Bytes } from "../../chain/encoding/bytes.ts";

export interface Codec<T> {
  read(bytes: Bytes): T;
  write(value: T): Bytes;
}
