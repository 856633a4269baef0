import type { RunTxOpts, RunTxResult } from "@ethereumjs/vm";
import { runTx } from "@ethereumjs/vm";
import type { ForkRules } from "../rules.ts";
import { delegationOf } from "../state/delegation.ts";
import type { Machine } from "../state/machine.ts";

/**
 * Runs a transaction whose sender may have code. The library refuses such senders (EIP-3607); on a development chain
 * anybody may send as a contract.
 */
export async function runTransaction(machine: Machine, options: RunTxOpts): Promise<RunTxResult> {
  const { state, vm } = machine;
  checkInitCode(options.tx, vm.common as ForkRules);
  const sender = options.tx.getSenderAddress();
  const code = await state.getCode(sender);
  if (code.length > 0 && delegationOf(code) === undefined) state.disguise(sender);
  try {
    return await runTx(vm, options);
  } finally {
    state.disguise(undefined);
  }
}

/** A transaction with more init code than allowed is no part of a block (EIP-3860); the library would let it fail. */
function checkInitCode(tx: RunTxOpts["tx"], { maxInitCodeSize }: ForkRules): void {
  if (tx.to !== undefined || tx.data.length <= maxInitCodeSize) return;
  throw new Error(`max initcode size exceeded: code size ${tx.data.length}, limit ${maxInitCodeSize}`);
}
