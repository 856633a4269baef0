import { getHashes, hash } from "node:crypto";
import type { EVM, PrecompileFunc } from "@ethereumjs/evm";
import { EVMError } from "@ethereumjs/evm";
import { setLengthLeft } from "@ethereumjs/util";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import { compressBlake2 } from "./blake2.ts";

const RIPEMD160 = "3".padStart(40, "0");
const BLAKE2F = "9".padStart(40, "0");

/** OpenSSL may be built without it. */
const isNative = getHashes().includes("ripemd160");

/** Replaces the library's RIPEMD-160 and BLAKE2b, which take four and over twenty times as long. */
export function useFastHashes(evm: EVM): void {
  const precompiles = evm.precompiles as Map<string, PrecompileFunc>;
  if (isNative) precompiles.set(RIPEMD160, ripemd160);
  const library = precompiles.get(BLAKE2F);
  // Istanbul brought it.
  if (library !== undefined) precompiles.set(BLAKE2F, blake2f(library));
}

const ripemd160: PrecompileFunc = ({ data, gasLimit, common }) => {
  const words = BigInt(Math.ceil(data.length / 32));
  const executionGasUsed = common.param("ripemd160Gas") + common.param("ripemd160WordGas") * words;
  if (gasLimit < executionGasUsed) return outOfGas(gasLimit);
  return { executionGasUsed, returnValue: setLengthLeft(new Uint8Array(hash("ripemd160", data, "buffer")), 32) };
};

/** EIP-152: rounds, state, message, offset, and whether the block is the last. Malformed input is the library's to refuse. */
const blake2f = (library: PrecompileFunc): PrecompileFunc => {
  return (input) => {
    const { data, gasLimit, common } = input;
    const flag = data[212];
    if (data.length !== 213 || (flag !== 0 && flag !== 1)) return library(input);
    const rounds = new DataView(data.buffer, data.byteOffset).getUint32(0);
    const executionGasUsed = common.param("blake2RoundGas") * BigInt(rounds);
    if (gasLimit < executionGasUsed) return outOfGas(gasLimit);
    return { executionGasUsed, returnValue: compressBlake2(rounds, data.subarray(4, 212), flag === 1) };
  };
};

function outOfGas(gasLimit: bigint) {
  const exceptionError = new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  return { executionGasUsed: gasLimit, returnValue: EMPTY, exceptionError };
}
