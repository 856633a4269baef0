import type { Signatures } from "../../chain/abi/parseAbi.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";

export interface Abis {
  /** If true, no code needs to be fetched. */
  readonly isEmpty: boolean;
  ofCode(code: Bytes): Promise<Signatures | undefined>;
  /** As JSON, with everything the compiler wrote. */
  textOfCode(code: Bytes): Promise<string | undefined>;
  /** All signatures, for contracts whose code matches no ABI. */
  readonly all: Signatures;
}
