import type { RunTxOpts, RunTxResult } from "@ethereumjs/vm";
import { runTx } from "@ethereumjs/vm";
import { delegationOf } from "../state/delegation.ts";
import type { Machine } from "../state/machine.ts";

/**
 * Runs a transaction. An account with code may send one too: on a development chain anybody may send as a contract, or give code
 * to an account of his own. The library refuses such senders, unless they delegate (EIP-3607), and asks that before all else.
 */
export async function runTransaction(machine: Machine, options: RunTxOpts): Promise<RunTxResult> {
  const { state, vm } = machine;
  const sender = options.tx.getSenderAddress();
  const code = await state.getCode(sender);
  if (code.length > 0 && delegationOf(code) === undefined) state.disguise(sender);
  try {
    return await runTx(vm, options);
  } finally {
    state.disguise(undefined);
  }
}
