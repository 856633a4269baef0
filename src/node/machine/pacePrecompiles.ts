import type { ExecResult, PrecompileFunc } from "@ethereumjs/evm";
import { EVMError } from "@ethereumjs/evm";
import { PrecompileThread } from "../precompiles/precompileThread.ts";
import type { Pace } from "../state/pace.ts";
import type { Machine } from "./machine.ts";

/** Separate, so that blocks never wait for calls. */
const threads = { blocks: new PrecompileThread(), calls: new PrecompileThread() };

const address = (number: number) => number.toString(16).padStart(40, "0");

const ROUNDS = 10_000;

/** Inputs that take more than a few milliseconds, by precompile. */
const TAKES_LONG: ReadonlyMap<string, (data: Uint8Array) => boolean> = new Map([
  // SHA-256 and RIPEMD-160
  [address(0x02), (data: Uint8Array) => data.length > 1 << 20],
  [address(0x03), (data: Uint8Array) => data.length > 1 << 18],
  // MODEXP: three lengths come before the numbers.
  [address(0x05), (data: Uint8Array) => data.length > 96 + 3 * 128 || declaresMore(data, 128)],
  // Pairings of BN254: of one, the first takes a tenth of a second.
  [address(0x08), (data: Uint8Array) => data.length >= 192],
  [address(0x09), (data: Uint8Array) => data.length === 213 && Buffer.from(data).readUInt32BE(0) > ROUNDS],
  // BLS12-381: sums of products in both groups, pairings, and what maps to the second group
  [address(0x0c), (data: Uint8Array) => data.length > 160],
  [address(0x0e), (data: Uint8Array) => data.length >= 288],
  [address(0x11), (data: Uint8Array) => data.length === 128],
  [address(0x0f), (data: Uint8Array) => data.length >= 384],
]);

/** Whether a declared length exceeds the data, which is zero-padded. */
function declaresMore(data: Uint8Array, bytes: number): boolean {
  for (let word = 0; word < 3; word++) {
    const length = data.subarray(32 * word, 32 * word + 32);
    if (length.subarray(0, 30).some((byte) => byte !== 0)) return true;
    if (((length[30] ?? 0) << 8) + (length[31] ?? 0) > bytes) return true;
  }
  return false;
}

type Run = (code: unknown, data: Uint8Array, gasLimit: bigint) => Promise<ExecResult> | ExecResult;

/** Runs expensive precompiles in a thread that can be terminated. */
export function pacePrecompiles({ vm }: Machine, pace: Pace): void {
  const evm = vm.evm as unknown as { runPrecompile: Run; precompiles: ReadonlyMap<string, PrecompileFunc> };
  const plain = Object.getPrototypeOf(evm).runPrecompile as Run;
  const hardfork = String(vm.common.hardfork());
  evm.runPrecompile = (code, data, gasLimit) => {
    const place = placeOf(evm.precompiles, code);
    if (place === undefined || TAKES_LONG.get(place)?.(data) !== true) return plain.call(evm, code, data, gasLimit);
    const thread = pace.isBounded ? threads.calls : threads.blocks;
    return pace
      .bound((signal) => thread.run({ hardfork, address: place, data, gasLimit }, signal))
      .then((answer) => ({
        executionGasUsed: answer.executionGasUsed,
        returnValue: answer.returnValue,
        ...(answer.error !== undefined && { exceptionError: new EVMError(answer.error as never) }),
      }));
  };
}

function placeOf(precompiles: ReadonlyMap<string, PrecompileFunc>, code: unknown): string | undefined {
  for (const place of TAKES_LONG.keys()) if (precompiles.get(place) === code) return place;
  return undefined;
}
