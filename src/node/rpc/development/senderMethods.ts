import { toHex } from "../../../chain/encoding/hex.ts";
import type { DevelopmentContext } from "../../context.ts";
import { addressParam, expectAtMost, hashParam, readFlag, required } from "../../params/params.ts";
import type { DevelopmentMethods } from "../methods.ts";

type Params = readonly unknown[];

function impersonate({ keyring }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  keyring.impersonate(addressParam(params, 0));
  return true;
}

function stopImpersonating({ keyring }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  keyring.stopImpersonating(addressParam(params, 0));
  return true;
}

function autoImpersonate({ keyring }: DevelopmentContext, params: Params): true {
  expectAtMost(params, 1);
  keyring.impersonateAll(readFlag(required(params, 0), { argument: 0 }));
  return true;
}

function dropTransaction({ pool, chain }: DevelopmentContext, params: Params): boolean {
  expectAtMost(params, 1);
  const hash = hashParam(params, 0);
  chain.database.dropPooled(hash);
  return pool.drop(hash);
}

async function dropAllTransactions({ pool }: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 0);
  await pool.replaceAll([]);
  return true;
}

async function removePoolTransactions({ pool }: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 1);
  const sender = toHex(addressParam(params, 0));
  await pool.replaceAll(pool.all().filter(({ transaction }) => toHex(transaction.from) !== sender));
  return true;
}

export const senderMethods: DevelopmentMethods = {
  hardhat_impersonateAccount: impersonate,
  anvil_impersonateAccount: impersonate,
  hardhat_stopImpersonatingAccount: stopImpersonating,
  anvil_stopImpersonatingAccount: stopImpersonating,
  anvil_autoImpersonateAccount: autoImpersonate,
  hardhat_autoImpersonateAccount: autoImpersonate,
  hardhat_dropTransaction: dropTransaction,
  anvil_dropTransaction: dropTransaction,
  hardhat_dropAllTransactions: dropAllTransactions,
  anvil_dropAllTransactions: dropAllTransactions,
  anvil_removePoolTransactions: removePoolTransactions,
};
