import type { Signatures } from "../../chain/abi/parseAbi.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";

/** ABIs looked up by deployed code. */
export interface Abis {
  /** If true, no code needs to be fetched. */
  readonly isEmpty: boolean;
  /** By deployed code. */
  ofCode(code: Bytes): Promise<Signatures | undefined>;
  /** As JSON, with everything the compiler wrote. */
  textOfCode(code: Bytes): Promise<string | undefined>;
  /** All signatures, for contracts whose code matches no ABI. */
  readonly all: Signatures;
}
