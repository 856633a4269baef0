import type { RunTxOpts, RunTxResult } from "@ethereumjs/vm";
import { runTx } from "@ethereumjs/vm";
import type { Machine } from "../machine/machine.ts";
import type { ForkRules } from "../rules.ts";
import { delegationOf } from "../state/delegation.ts";

/** Allows senders with code, which the library rejects (EIP-3607): development chains impersonate contracts. */
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

/** EIP-3860: oversized init code invalidates a transaction; the library would only let it fail. */
function checkInitCode(tx: RunTxOpts["tx"], { maxInitCodeSize }: ForkRules): void {
  if (tx.to !== undefined || tx.data.length <= maxInitCodeSize) return;
  throw new Error(`max initcode size exceeded: code size ${tx.data.length}, limit ${maxInitCodeSize}`);
}
