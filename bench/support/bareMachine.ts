import { createBlock } from "@ethereumjs/block";
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { Caches, MerkleStateManager } from "@ethereumjs/statemanager";
import { createTxFromRLP } from "@ethereumjs/tx";
import { createAccount, createAddressFromString } from "@ethereumjs/util";
import type { VM } from "@ethereumjs/vm";
import { createVM, runTx } from "@ethereumjs/vm";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";

/**
 * The bound: the library as its documentation shows it, with its own state, signatures and rules, running transactions
 * one after the other in memory. No pool, no blocks, no roots, no disk.
 */
export class BareMachine {
  readonly #vm: VM;
  readonly #common: Common;

  private constructor(vm: VM, common: Common) {
    this.#vm = vm;
    this.#common = common;
  }

  static async open(funded: string): Promise<BareMachine> {
    const chain = { ...Mainnet, name: "bench", chainId: 677 };
    const common = new Common({ chain, hardfork: Hardfork.Prague });
    const stateManager = new MerkleStateManager({ common, caches: new Caches() });
    const vm = await createVM({ common, stateManager });
    await stateManager.putAccount(createAddressFromString(funded), createAccount({ balance: 10n ** 24n }));
    return new BareMachine(vm, common);
  }

  async run(raws: readonly string[]): Promise<void> {
    for (const raw of raws) {
      const header = { number: 1n, gasLimit: 30_000_000n, baseFeePerGas: 7n, timestamp: 1_700_000_000n };
      const block = createBlock({ header }, { common: this.#common });
      await runTx(this.#vm, { tx: createTxFromRLP(fromHex(raw), { common: this.#common }), block });
    }
  }
  /** Result of a call. */
  async call({ to, data, gas = "0x2faf080" }: { to?: string; data: string; gas?: string }): Promise<string> {
    const { execResult } = await this.#vm.evm.runCall({
      ...(to && { to: createAddressFromString(to) }),
      data: fromHex(data),
      gasLimit: BigInt(gas),
    });
    if (execResult.exceptionError !== undefined) throw new Error(execResult.exceptionError.error);
    return toHex(execResult.returnValue);
  }
}
