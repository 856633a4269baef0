import type { Hex } from "../../chain/hex.ts";
import { toHex } from "../../chain/hex.ts";
import type { DevelopmentContext } from "../context.ts";
import type { DevelopmentMethods } from "./methods.ts";
import { addressParam, dataParam, expectAtMost, required } from "./params.ts";

type Params = readonly unknown[];

async function sendRawTransaction({ pool, miner }: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  const hash = await pool.addRaw(dataParam(params, 0));
  await miner.onTransaction(hash);
  return toHex(hash);
}

export const sendMethods: DevelopmentMethods = { eth_sendRawTransaction: sendRawTransaction };

export const accountMethods: DevelopmentMethods = {
  eth_accounts: ({ keyring }) => keyring.accounts.map(({ address }) => address),
  eth_sign: ({ keyring }, params) => keyring.signMessage(addressParam(params, 0), dataParam(params, 1)),
  personal_sign: ({ keyring }, params) => keyring.signMessage(addressParam(params, 1), dataParam(params, 0)),
  eth_signTypedData_v4: ({ keyring }, params) => keyring.signTypedData(addressParam(params, 0), required(params, 1)),
};
