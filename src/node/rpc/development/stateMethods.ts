import { Account, Address, unpadBytes } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { DevelopmentContext } from "../../context.ts";
import type { Machine } from "../../machine/machine.ts";
import {
  addressParam,
  dataParam,
  expectAtMost,
  readQuantity,
  readStorageKey,
  required,
  textParam,
} from "../../params/params.ts";
import type { DevelopmentMethods } from "../methods.ts";

/** Changes the head's state; no block shows it. */
async function alterAccount(
  { chain, pool }: DevelopmentContext,
  address: Bytes,
  change: (account: Account) => void,
): Promise<void> {
  await chain.alter(async ({ state }) => {
    const account = (await state.getAccount(new Address(address))) ?? new Account();
    change(account);
    await state.putAccount(new Address(address), account);
  });
  await pool.review();
}

async function setBalance(context: DevelopmentContext, params: readonly unknown[]): Promise<true> {
  expectAtMost(params, 2);
  const balance = readQuantity(required(params, 1), { argument: 1 }, "*hexutil.Big");
  await alterAccount(context, addressParam(params, 0), (account) => {
    account.balance = balance;
  });
  return true;
}

async function addBalance(context: DevelopmentContext, params: readonly unknown[]): Promise<true> {
  expectAtMost(params, 2);
  const amount = readQuantity(required(params, 1), { argument: 1 }, "*hexutil.Big");
  await alterAccount(context, addressParam(params, 0), (account) => {
    account.balance += amount;
  });
  return true;
}

async function setNonce(context: DevelopmentContext, params: readonly unknown[]): Promise<true> {
  expectAtMost(params, 2);
  const nonce = readQuantity(required(params, 1), { argument: 1 });
  await alterAccount(context, addressParam(params, 0), (account) => {
    account.nonce = nonce;
  });
  return true;
}

async function setCode({ chain }: DevelopmentContext, params: readonly unknown[]): Promise<true> {
  expectAtMost(params, 2);
  const [address, code] = [new Address(addressParam(params, 0)), dataParam(params, 1)];
  await chain.alter(({ state }) => state.putCode(address, code));
  return true;
}

async function setStorageAt({ chain }: DevelopmentContext, params: readonly unknown[]): Promise<true> {
  expectAtMost(params, 3);
  const address = new Address(addressParam(params, 0));
  const { key } = readStorageKey(textParam(params, 1));
  const { key: value } = readStorageKey(textParam(params, 2));
  await chain.alter(async ({ state }: Machine) => {
    if ((await state.getAccount(address)) === undefined) await state.putAccount(address, new Account());
    await state.putStorage(address, key, unpadBytes(value));
  });
  return true;
}

export const stateMethods: DevelopmentMethods = {
  hardhat_setBalance: setBalance,
  anvil_setBalance: setBalance,
  evm_setAccountBalance: setBalance,
  tenderly_setBalance: setBalance,
  anvil_addBalance: addBalance,
  hardhat_addBalance: addBalance,
  tenderly_addBalance: addBalance,
  hardhat_setNonce: setNonce,
  anvil_setNonce: setNonce,
  evm_setAccountNonce: setNonce,
  hardhat_setCode: setCode,
  anvil_setCode: setCode,
  evm_setAccountCode: setCode,
  hardhat_setStorageAt: setStorageAt,
  anvil_setStorageAt: setStorageAt,
  evm_setAccountStorageAt: setStorageAt,
};
