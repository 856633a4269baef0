import { createTxFromRLP } from "@ethereumjs/tx";
import type { Address } from "@ethereumjs/util";
import { createAddressFromString, createZeroAddress } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import type { Predeploy } from "../genesis.ts";
import type { Machine } from "../machine/machine.ts";
import type { ForkRules } from "../rules.ts";
import { CREATE2_DEPLOYER_ADDRESS } from "../systemContracts.ts";
// Multicall3's keyless deployment transaction from its README, and Permit2's deployment input.
import deployments from "./deployments.json" with { type: "json" };

interface Deployment {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly data: Bytes;
}

/** Deploys by the original transaction, since code and storage may depend on the chain. */
export async function predeploy(machine: Machine, rules: ForkRules, name: Predeploy): Promise<void> {
  const { from: caller, to, data } = deploymentOf(name, rules);
  const { evm } = machine;
  const call = { caller, data, gasLimit: GAS };
  const { execResult } = await evm.runCall(to === undefined ? call : { ...call, to, skipNonceIncrement: true });
  await evm.journal.cleanup();
  if (execResult.exceptionError !== undefined) throw new Error(`${name} cannot be deployed`, { cause: execResult });
}

const GAS = 30_000_000n;

function deploymentOf(name: Predeploy, rules: ForkRules): Deployment {
  if (name === "multicall3") {
    const tx = createTxFromRLP(fromHex(deployments.multicall3.transaction), { common: rules });
    return { from: tx.getSenderAddress(), to: undefined, data: tx.data };
  }
  const { salt, initCode } = deployments[name];
  const data = Buffer.concat([fromHex(salt), fromHex(initCode)]);
  return { from: createZeroAddress(), to: createAddressFromString(CREATE2_DEPLOYER_ADDRESS), data };
}
