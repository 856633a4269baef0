import { createHash } from "node:crypto";
import type { EVMRunCallOpts } from "@ethereumjs/evm";
import { Account, Address, createAddressFromString } from "@ethereumjs/util";
import type { Header, Withdrawal } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Machine } from "../machine/machine.ts";

const SYSTEM = createAddressFromString("0xfffffffffffffffffffffffffffffffffffffffe");
export const BEACON_ROOTS = createAddressFromString("0x000f3df6d732807ef1319fb7b8bb8522d0beac02");
export const BLOCK_HASHES = createAddressFromString("0x0000f90827f1c53a10cb7a02335b175320002935");
const WITHDRAWAL_REQUESTS = createAddressFromString("0x00000961ef480eb55e80d19ad83579a64c007002");
const CONSOLIDATION_REQUESTS = createAddressFromString("0x0000bbddc7ce488642fb579f8b00f3a590007251");

const SYSTEM_GAS = 30_000_000n;

type BlockContext = NonNullable<EVMRunCallOpts["block"]>;

type Opening = Pick<Header, "parentHash" | "parentBeaconBlockRoot">;

/** System calls before the first transaction (EIP-4788, EIP-2935). */
export async function openBlock(machine: Machine, block: BlockContext, opening: Opening): Promise<void> {
  const { common } = machine.vm;
  const { parentHash, parentBeaconBlockRoot } = opening;
  if (common.isActivatedEIP(4788)) await systemCall(machine, block, BEACON_ROOTS, parentBeaconBlockRoot);
  if (common.isActivatedEIP(2935)) await systemCall(machine, block, BLOCK_HASHES, parentHash);
}

/** Amounts are in Gwei (EIP-4895). */
export async function payWithdrawals(machine: Machine, withdrawals: readonly Withdrawal[]): Promise<void> {
  const { journal } = machine.vm.evm;
  for (const { address, amount } of withdrawals) {
    const account = (await machine.state.getAccount(new Address(address))) ?? new Account();
    account.balance += uintToBigInt(amount) * 1_000_000_000n;
    await journal.putAccount(new Address(address), account);
  }
  await journal.cleanup();
}

/** EIP-7685 requests as type || data. There is no deposit contract, so there are no deposits. */
export async function closeBlock(machine: Machine, block: BlockContext): Promise<Bytes[] | undefined> {
  if (!machine.vm.common.isActivatedEIP(7685)) return undefined;
  const withdrawals = await systemCall(machine, block, WITHDRAWAL_REQUESTS);
  const consolidations = await systemCall(machine, block, CONSOLIDATION_REQUESTS);
  const requests = [Buffer.concat([WITHDRAWAL_TYPE, withdrawals]), Buffer.concat([CONSOLIDATION_TYPE, consolidations])];
  return requests.filter((request) => request.length > 1);
}

const WITHDRAWAL_TYPE = new Uint8Array([1]);
const CONSOLIDATION_TYPE = new Uint8Array([2]);

export function requestsHash(requests: readonly Bytes[]): Bytes {
  return sha256(Buffer.concat(requests.map(sha256)));
}

function sha256(bytes: Bytes): Bytes {
  return createHash("sha256").update(bytes).digest();
}

/** Free of charge, and the caller's account is unchanged. */
async function systemCall({ vm, state }: Machine, block: BlockContext, to: Address, data?: Bytes): Promise<Bytes> {
  if ((await state.getCode(to)).length === 0) return new Uint8Array(0);
  const before = await state.getAccount(SYSTEM);
  const call = { caller: SYSTEM, to, block, gasLimit: SYSTEM_GAS, ...(data && { data }) };
  const { execResult } = await vm.evm.runCall(call);
  if (before === undefined) await state.deleteAccount(SYSTEM);
  else await state.putAccount(SYSTEM, before);
  await vm.evm.journal.cleanup();
  return execResult.returnValue;
}
