import type { RunTxOpts, RunTxResult } from "@ethereumjs/vm";
import { runTx } from "@ethereumjs/vm";
import { delegationOf } from "../state/delegation.ts";
import type { Machine } from "../state/machine.ts";

/**
 * Runs a transaction. A contract may send one too: no key is a contract's, so whoever sends as one impersonates it. The library
 * knows none of that and refuses senders with code, unless they delegate (EIP-3607), and that it asks before anything else.
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
