import { Account, Address } from "@ethereumjs/util";
import { authorityOf, faultOf } from "../../chain/block/authority.ts";
import type { Authorization } from "../../chain/block/transaction.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import { itemAt } from "../../std/values.ts";
import type { Machine } from "../machine/machine.ts";
import { DELEGATION, delegationOf } from "../state/delegation.ts";
import { nextTurn } from "../state/pace.ts";

/** Intrinsic gas per authorization, which bounds their number. */
const AUTHORIZATION_GAS = 25_000n;

/** Recovering a signer takes about a millisecond; yields after so many. */
const SIGNERS_IN_A_TURN = 8;

interface Authorizing {
  readonly gas: bigint;
  readonly authorizationList: readonly Authorization[] | undefined;
}

/** Applies valid authorizations and returns the gas refund. */
export async function authorize(machine: Machine, message: Authorizing): Promise<bigint> {
  let refund = 0n;
  for await (const { authority, authorization } of authorities(message, machine.vm.common.chainId())) {
    refund += await delegate(machine, authority, authorization);
  }
  return refund;
}

export async function* authorities({ gas, authorizationList = [] }: Authorizing, chainId: bigint) {
  const chain = uintFromBigInt(chainId);
  const max = Math.min(authorizationList.length, Number(gas / AUTHORIZATION_GAS));
  for (let i = 0; i < max; i++) {
    if (i % SIGNERS_IN_A_TURN === SIGNERS_IN_A_TURN - 1) await nextTurn();
    const authorization = itemAt(authorizationList, i);
    const signer = faultOf(authorization, chain, null) === undefined ? authorityOf(authorization) : undefined;
    if (signer !== undefined) yield { authority: new Address(signer), authorization };
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
