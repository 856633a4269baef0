import type { RunTxOpts, RunTxResult } from "@ethereumjs/vm";
import { runTx } from "@ethereumjs/vm";
import type { Machine } from "../machine/machine.ts";
import type { ForkRules } from "../rules.ts";
import { delegationOf } from "../state/delegation.ts";

/** Allows senders with code, which the library rejects (EIP-3607): development chains impersonate contracts. */
export async function runTransaction(machine: Machine, options: RunTxOpts): Promise<RunTxResult> {
  const { state } = machine;
  const sender = options.tx.getSenderAddress();
  const code = await state.getCode(sender);
  if (code.length > 0 && delegationOf(code) === undefined) state.disguise(sender);
  try {
    return await runSigned(machine, options);
  } finally {
    state.disguise(undefined);
  }
}

/** Under all rules of the fork. */
export async function runSigned({ vm }: Machine, options: RunTxOpts): Promise<RunTxResult> {
  checkInitCode(options.tx, vm.common as ForkRules);
  return runTx(vm, options);
}

/** EIP-3860: oversized init code invalidates a transaction; the library would only let it fail. */
function checkInitCode(tx: RunTxOpts["tx"], { maxInitCodeSize }: ForkRules): void {
  if (tx.to !== undefined || tx.data.length <= maxInitCodeSize) return;
  throw new Error(`max initcode size exceeded: code size ${tx.data.length}, limit ${maxInitCodeSize}`);
}
