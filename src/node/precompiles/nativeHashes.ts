import { getHashes, hash } from "node:crypto";
import type { EVM, PrecompileFunc } from "@ethereumjs/evm";
import { EVMError } from "@ethereumjs/evm";
import { setLengthLeft } from "@ethereumjs/util";
import { EMPTY } from "../../chain/encoding/bytes.ts";

const RIPEMD160 = "3".padStart(40, "0");

/** OpenSSL may be built without it. */
const isNative = getHashes().includes("ripemd160");

/** Replaces the library's RIPEMD-160, which takes four times as long. */
export function useNativeHashes(evm: EVM): void {
  if (isNative) (evm.precompiles as Map<string, PrecompileFunc>).set(RIPEMD160, ripemd160);
}

const ripemd160: PrecompileFunc = ({ data, gasLimit, common }) => {
  const words = BigInt(Math.ceil(data.length / 32));
  const executionGasUsed = common.param("ripemd160Gas") + common.param("ripemd160WordGas") * words;
  if (gasLimit < executionGasUsed) {
    const exceptionError = new EVMError(EVMError.errorMessages.OUT_OF_GAS);
    return { executionGasUsed: gasLimit, returnValue: EMPTY, exceptionError };
  }
  return { executionGasUsed, returnValue: setLengthLeft(new Uint8Array(hash("ripemd160", data, "buffer")), 32) };
};
