import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { DevelopmentContext } from "../../context.ts";
import { expectAtMost, invalidArgument, readAddress, readArray, readData, required } from "../../params/params.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { numberParam } from "./numbers.ts";

type Params = readonly unknown[];

/** Until restart: the index keeps its original id. */
function setChainId({ chain }: DevelopmentContext, params: Params): null {
  expectAtMost(params, 1);
  const chainId = numberParam(params, 0);
  if (chainId === 0) throw invalidArgument(0, "expected a chain id above 0");
  chain.rules.setChainId(chainId);
  return null;
}

function refuseMinGasPrice(): never {
  throw new RpcError(RPC.invalidParams, "anvil_setMinGasPrice is not supported when EIP-1559 is active");
}

const SIGNATURE_SIZE = 65;

/** Anvil passes one array; two parameters are accepted too. */
function impersonateSignature({ chain }: DevelopmentContext, params: Params): null {
  const path = { argument: 0 };
  const nested = Array.isArray(params[0]);
  expectAtMost(params, nested ? 1 : 2);
  const pair = nested ? readArray(params[0], path, "[2]string") : params;
  const signature = readData(required(pair, 0), path);
  if (signature.length !== SIGNATURE_SIZE) throw invalidArgument(0, `expected ${SIGNATURE_SIZE} bytes of r, s and v`);
  chain.rules.impersonate(signature, readAddress(required(pair, 1), { argument: nested ? 0 : 1 }));
  return null;
}

export const identityMethods: DevelopmentMethods = {
  anvil_setChainId: setChainId,
  anvil_setMinGasPrice: refuseMinGasPrice,
  hardhat_setMinGasPrice: refuseMinGasPrice,
  anvil_impersonateSignature: impersonateSignature,
  anvil_getGenesisTime: ({ chain }) => chain.expectBlock(0).header.timestamp,
};
