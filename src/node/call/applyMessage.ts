import type { EVMError, EVMResult, ExecResult, Log } from "@ethereumjs/evm";
import { getActivePrecompiles } from "@ethereumjs/evm";
import { Account, Address } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { min } from "../../std/numbers.ts";
import type { Machine } from "../machine/machine.ts";
import type { ForkRules } from "../rules.ts";
import { authorize } from "./authorizations.ts";
import type { Checks } from "./checkMessage.ts";
import { blobGasOf, checkMessage } from "./checkMessage.ts";
import type { Environment } from "./environment.ts";
import { floorGas, intrinsicGas } from "./intrinsicGas.ts";
import type { Message } from "./message.ts";

export interface Setting {
  readonly machine: Machine;
  readonly environment: Environment;
}

export interface ExecutionResult {
  readonly gasUsed: bigint;
  /** Before refunds: the minimum gas limit. */
  readonly peakGas: bigint;
  readonly returnValue: Bytes;
  readonly error: EVMError | undefined;
  readonly runState: ExecResult["runState"];
  readonly logs: readonly Log[];
  readonly createdAddress: Address | undefined;
}

/** Executes a message like a transaction and changes the state. Throws if it is invalid. */
export async function applyMessage(setting: Setting, message: Message, checks: Checks): Promise<ExecutionResult> {
  const { machine, environment } = setting;
  const evm = machine.evm;
  await checkMessage(message, environment, machine.state, checks);
  await evm.journal.cleanup();
  machine.state.originalStorageCache.clear();
  evm.transientStorage.clear();
  warm(setting, message);
  await charge(setting, message);
  const authorized = await authorize(machine, message);
  const result = await evm.runCall({
    block: environment,
    gasPrice: message.gasPrice,
    caller: message.from,
    gasLimit: message.gas - intrinsicGas(message, environment.rules),
    ...(message.to && { to: message.to }),
    value: message.value,
    data: message.data,
    blobVersionedHashes: (message.blobVersionedHashes ?? []).map(toHex),
    skipNonceIncrement: true,
  });
  return settle(setting, message, checks, result, authorized);
}

const precompiles = new WeakMap<ForkRules, readonly string[]>();

/** The library builds a list of them each time, and an estimate asks for many. */
function precompilesOf(rules: ForkRules): readonly string[] {
  let known = precompiles.get(rules);
  if (known === undefined) {
    known = [...getActivePrecompiles(rules).keys()];
    precompiles.set(rules, known);
  }
  return known;
}

/** Initially warm addresses and slots (EIP-2929, EIP-2930, EIP-3651). */
function warm({ machine, environment }: Setting, { from, to, accessList }: Message): void {
  const { rules, header } = environment;
  const { journal } = machine.vm.evm;
  if (!rules.isActivatedEIP(2929)) return;
  // The standard addresses, even if overridden.
  for (const address of precompilesOf(rules)) journal.addAlwaysWarmAddress(address);
  journal.addAlwaysWarmAddress(from.toString());
  if (to !== undefined) journal.addAlwaysWarmAddress(to.toString());
  if (rules.isActivatedEIP(3651)) journal.addAlwaysWarmAddress(header.coinbase.toString());
  for (const { address, storageKeys } of accessList) {
    journal.addAlwaysWarmAddress(toHex(address));
    for (const key of storageKeys) journal.addAlwaysWarmSlot(toHex(address), toHex(key));
  }
}

async function charge({ machine, environment }: Setting, message: Message): Promise<void> {
  const account = (await machine.state.getAccount(message.from)) ?? new Account();
  account.balance -= message.gas * message.gasPrice;
  if (message.blobVersionedHashes !== undefined) {
    account.balance -= blobGasOf(message) * environment.header.getBlobGasPrice();
  }
  // Calls may use any nonce, including the maximum.
  account.nonce = BigInt.asUintN(64, account.nonce + 1n);
  await machine.vm.evm.journal.putAccount(message.from, account);
}

async function settle(
  setting: Setting,
  message: Message,
  checks: Checks,
  { execResult, createdAddress }: EVMResult,
  authorized: bigint,
): Promise<ExecutionResult> {
  const { rules } = setting.environment;
  const floor = floorGas(message, rules);
  const spent = intrinsicGas(message, rules) + execResult.executionGasUsed;
  const refund = min(authorized + (execResult.gasRefund ?? 0n), spent / rules.param("maxRefundQuotient"));
  const gasUsed = larger(spent - refund, floor);
  await pay(setting, message, checks, gasUsed);
  await destroy(setting.machine, execResult);
  await setting.machine.vm.evm.journal.cleanup();
  return {
    gasUsed,
    peakGas: larger(spent, floor),
    returnValue: execResult.returnValue,
    error: execResult.exceptionError,
    runState: execResult.runState,
    logs: execResult.logs ?? [],
    createdAddress,
  };
}

async function pay({ machine, environment }: Setting, message: Message, { isCall }: Checks, gasUsed: bigint) {
  const { journal } = machine.vm.evm;
  const { coinbase, baseFeePerGas = 0n } = environment.header;
  const sender = (await machine.state.getAccount(message.from)) ?? new Account();
  sender.balance += (message.gas - gasUsed) * message.gasPrice;
  await journal.putAccount(message.from, sender);
  if (isCall && message.maxFeePerGas === 0n && message.maxPriorityFeePerGas === 0n) return;
  const miner = (await machine.state.getAccount(coinbase)) ?? new Account();
  miner.balance += gasUsed * (message.gasPrice - baseFeePerGas);
  await journal.putAccount(coinbase, miner);
}

/** EIP-6780: since Cancun only contracts created in the same transaction. */
async function destroy({ vm }: Machine, { selfdestruct = new Map(), createdAddresses }: ExecResult): Promise<void> {
  for (const address of selfdestruct.keys()) {
    if (vm.common.isActivatedEIP(6780) && createdAddresses?.has(address) !== true) continue;
    await vm.evm.journal.deleteAccount(new Address(fromHex(address)));
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
