import { Account, Address, unpadBytes } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../../chain/encoding/hex.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { AccessListResult } from "../../call/createAccessList.ts";
import type { DevelopmentContext } from "../../context.ts";
import { addressParam, expectAtMost, readQuantity, required } from "../../params/params.ts";
import { callMethods } from "../calls/callMethods.ts";
import type { DevelopmentMethods } from "../methods.ts";

type Params = readonly unknown[];

async function dealErc20(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 3);
  const [account, token] = [addressParam(params, 0), addressParam(params, 1)];
  const amount = readQuantity(required(params, 2), { argument: 2 }, "*hexutil.Big");
  await answerWith(context, token, inputOf("balanceOf(address)", account), amount);
  return null;
}

async function setErc20Allowance(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 4);
  const [owner, spender, token] = [addressParam(params, 0), addressParam(params, 1), addressParam(params, 2)];
  const amount = readQuantity(required(params, 3), { argument: 3 }, "*hexutil.Big");
  await answerWith(context, token, inputOf("allowance(address,address)", owner, spender), amount);
  return null;
}

function inputOf(signature: string, ...addresses: readonly Bytes[]): Hex {
  const selector = keccak256(Buffer.from(signature)).subarray(0, 4);
  return toHex(Buffer.concat([selector, ...addresses.flatMap((address) => [Buffer.alloc(12), address])]));
}

/** Finds and sets the slot that determines a call's result, which depends on the token's layout. */
async function answerWith(context: DevelopmentContext, to: Bytes, input: Hex, value: bigint): Promise<void> {
  const request = { to: toHex(to), input };
  const { accessList } = (await callMethods.eth_createAccessList!(context, [request, "latest"])) as AccessListResult;
  for (const { address, storageKeys } of accessList) {
    for (const key of storageKeys) {
      const overrides = { [address]: { stateDiff: { [key]: word(value) } } };
      if (!(await answers(context, [request, "latest", overrides], value))) continue;
      await setSlot(context, fromHex(address), fromHex(key), fromHex(word(value)));
      return;
    }
  }
  throw new RpcError(RPC.server, `no slot of ${toHex(to)} alone decides what it answers`);
}

async function answers(context: DevelopmentContext, params: Params, value: bigint): Promise<boolean> {
  try {
    return (await callMethods.eth_call!(context, params)) === word(value);
  } catch (error) {
    // Overwriting an unrelated slot may make the token revert.
    if (error instanceof RpcError) return false;
    throw error;
  }
}

async function setSlot({ chain }: DevelopmentContext, address: Bytes, key: Bytes, value: Bytes): Promise<void> {
  await chain.alter(async ({ state }) => {
    const account = new Address(address);
    if ((await state.getAccount(account)) === undefined) await state.putAccount(account, new Account());
    await state.putStorage(account, key, unpadBytes(value));
  });
}

function word(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

export const tokenMethods: DevelopmentMethods = {
  anvil_dealERC20: dealErc20,
  anvil_setERC20Balance: dealErc20,
  hardhat_dealERC20: dealErc20,
  anvil_setERC20Allowance: setErc20Allowance,
};
