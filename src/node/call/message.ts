import type { Address } from "@ethereumjs/util";
import { createZeroAddress } from "@ethereumjs/util";
import type { AccessListEntry, Authorization } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { min } from "../../std/numbers.ts";
import type { CallRequest } from "./callRequest.ts";

/** A transaction ready for execution, signed or not. */
export interface Message {
  readonly from: Address;
  readonly to: Address | undefined;
  readonly data: Bytes;
  readonly gas: bigint;
  readonly value: bigint;
  readonly nonce: bigint | undefined;
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly accessList: readonly AccessListEntry[];
  readonly blobVersionedHashes: readonly Bytes[] | undefined;
  readonly maxFeePerBlobGas: bigint | undefined;
  readonly authorizationList: readonly Authorization[] | undefined;
}

/** Fills defaults. Gas is capped by the node's limit. */
export function messageOf(request: CallRequest, gasCap: bigint, baseFeePerGas: bigint | undefined): Message {
  const { gas = gasCap, blobVersionedHashes } = request;
  return {
    from: request.from ?? createZeroAddress(),
    to: request.to,
    data: request.data,
    gas: gas > gasCap ? gasCap : gas,
    value: request.value ?? 0n,
    nonce: request.nonce,
    ...feesOf(request, baseFeePerGas),
    accessList: request.accessList ?? [],
    blobVersionedHashes,
    maxFeePerBlobGas: request.maxFeePerBlobGas ?? (blobVersionedHashes === undefined ? undefined : 0n),
    authorizationList: request.authorizationList,
  };
}

export function expectChain({ chainId }: CallRequest, own: number): void {
  if (chainId !== undefined && chainId !== BigInt(own)) {
    throw new RpcError(RPC.server, `chainId does not match node's (have=${chainId}, want=${own})`);
  }
}

function feesOf(request: CallRequest, baseFeePerGas: bigint | undefined) {
  const { gasPrice } = request;
  if (gasPrice !== undefined || baseFeePerGas === undefined) {
    const price = gasPrice ?? 0n;
    return { gasPrice: price, maxFeePerGas: price, maxPriorityFeePerGas: price };
  }
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = request;
  const isFree = maxFeePerGas === 0n && maxPriorityFeePerGas === 0n;
  return {
    gasPrice: isFree ? 0n : min(maxPriorityFeePerGas + baseFeePerGas, maxFeePerGas),
    maxFeePerGas,
    maxPriorityFeePerGas,
  };
}
