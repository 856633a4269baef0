import type { DecodedInput } from "../../../chain/abi/present.ts";
import type { Decoded } from "../../../chain/abi/resolve.ts";
import type { decodeRevert } from "../../../chain/abi/revert.ts";

/** A call or a log with where its signature is from. */
export function presentDecoded<T extends DecodedInput>({ input, origin, isGuess }: Decoded<T>) {
  return { ...input, origin, is_guess: isGuess };
}

export function presentRevert(reason: ReturnType<typeof decodeRevert>) {
  return reason === null || "raw" in reason ? reason : presentDecoded(reason);
}
