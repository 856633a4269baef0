import type { Signatures } from "../../chain/abi/parseAbi.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";

/** The ABIs that are known of contracts, found by what code they have. */
export interface Abis {
  /** Whether there are none at all: without them nobody's code has to be asked for. */
  readonly isEmpty: boolean;
  /** The ABI of the contract whose deployed code this is. */
  ofCode(code: Bytes): Promise<Signatures | undefined>;
  /** The same as JSON, with all that its compiler wrote. */
  textOfCode(code: Bytes): Promise<string | undefined>;
  /** Every signature in any of them, for contracts whose code fits none. */
  readonly all: Signatures;
}
