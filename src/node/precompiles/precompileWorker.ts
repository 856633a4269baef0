import { parentPort } from "node:worker_threads";
import { Common, Mainnet } from "@ethereumjs/common";
import type { EVM } from "@ethereumjs/evm";
import { createEVM } from "@ethereumjs/evm";
import { sha256 } from "../../chain/hashing/sha256.ts";
import { lowerThreadPriority } from "../../std/threadPriority.ts";
import { useFastHashes } from "./fastHashes.ts";

export interface PrecompileCall {
  readonly id: number;
  readonly hardfork: string;
  /** Without 0x. */
  readonly address: string;
  readonly data: Uint8Array;
  readonly gasLimit: bigint;
}

export interface PrecompileAnswer {
  readonly id: number;
  readonly executionGasUsed: bigint;
  readonly returnValue: Uint8Array;
  /** The library's error. */
  readonly error: string | undefined;
}

const machines = new Map<string, Promise<EVM>>();

/** Cost and result depend only on the fork. */
function machineOf(hardfork: string): Promise<EVM> {
  let machine = machines.get(hardfork);
  if (machine === undefined) {
    machine = openMachine(hardfork);
    machines.set(hardfork, machine);
  }
  return machine;
}

async function openMachine(hardfork: string): Promise<EVM> {
  const machine = await createEVM({ common: new Common({ chain: Mainnet, hardfork, customCrypto: { sha256 } }) });
  useFastHashes(machine);
  return machine;
}

async function answer({ id, hardfork, address, data, gasLimit }: PrecompileCall): Promise<PrecompileAnswer> {
  const machine = await machineOf(hardfork);
  const precompile = machine.precompiles.get(address);
  if (precompile === undefined) throw new Error(`no contract is precompiled at ${address}`);
  const result = await precompile({ data, gasLimit, common: machine.common, _EVM: machine });
  const { executionGasUsed, returnValue, exceptionError } = result;
  return { id, executionGasUsed, returnValue, error: exceptionError?.error };
}

// Other calls and blocks have priority.
lowerThreadPriority();

parentPort?.on("message", (call: PrecompileCall) => {
  void answer(call).then((done) => parentPort?.postMessage(done));
});
