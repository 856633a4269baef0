import type { Address } from "@ethereumjs/util";
import { Account, eoaCode7702RecoverAuthority, SECP256K1_ORDER_DIV_2 } from "@ethereumjs/util";
import type { Bytes } from "../../chain/bytes.ts";
import { EMPTY, isZero } from "../../chain/bytes.ts";
import type { Authorization } from "../../chain/transaction.ts";
import { uintToBigInt } from "../../chain/uint.ts";
import type { Machine } from "../state/machine.ts";

const DELEGATION = new Uint8Array([0xef, 0x01, 0x00]);

/** Lets accounts delegate to code as they signed, and says how much gas that gives back; a bad one is passed over. */
export async function authorize(machine: Machine, list: readonly Authorization[]): Promise<bigint> {
  let refund = 0n;
  for (const authorization of list) {
    const authority = authorityOf(authorization, machine.vm.common.chainId());
    if (authority !== undefined) refund += await delegate(machine, authority, authorization);
  }
  return refund;
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Who signed a delegation for this chain. */
export function authorityOf(authorization: Authorization, chainId: bigint): Address | undefined {
  const { address, nonce, yParity, r, s } = authorization;
  const chain = uintToBigInt(authorization.chainId);
  if (chain !== 0n && chain !== chainId) return undefined;
  if (uintToBigInt(nonce) >= MAX_UINT64) return undefined;
  if (uintToBigInt(s) > SECP256K1_ORDER_DIV_2 || uintToBigInt(yParity) > 1n) return undefined;
  try {
    return eoaCode7702RecoverAuthority([authorization.chainId, address, nonce, yParity, r, s]);
  } catch {
    return undefined;
  }
}

async function delegate(machine: Machine, authority: Address, { address, nonce }: Authorization): Promise<bigint> {
  const { vm, state } = machine;
  vm.evm.journal.addAlwaysWarmAddress(authority.toString());
  const existing = await state.getAccount(authority);
  const account = existing ?? new Account();
  const code = await state.getCode(authority);
  if (code.length > 0 && delegationOf(code) === undefined) return 0n;
  if (account.nonce !== uintToBigInt(nonce)) return 0n;
  account.nonce++;
  await vm.evm.journal.putAccount(authority, account);
  await state.putCode(authority, isZero(address) ? EMPTY : Buffer.concat([DELEGATION, address]));
  if (existing === undefined) return 0n;
  return vm.common.param("perEmptyAccountCost") - vm.common.param("perAuthBaseGas");
}

/** The address that an account's code delegates to. */
export function delegationOf(code: Bytes): Bytes | undefined {
  const isDelegation = code.length === 23 && DELEGATION.every((byte, i) => code[i] === byte);
  return isDelegation ? code.subarray(3) : undefined;
}
