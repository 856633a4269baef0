import { Address } from "@ethereumjs/util";
import type { AccessListEntry, Authorization } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../chain/encoding/uint.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { ParamPath } from "../params/params.ts";
import {
  invalidArgument,
  readAddress,
  readArray,
  readData,
  readHash,
  readObject,
  readQuantity,
} from "../params/params.ts";

export interface CallRequest {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly data: Bytes;
  readonly gas: bigint | undefined;
  readonly gasPrice: bigint | undefined;
  readonly maxFeePerGas: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly maxFeePerBlobGas: bigint | undefined;
  readonly value: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly chainId: bigint | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
  readonly blobVersionedHashes: readonly Bytes[] | undefined;
  readonly authorizationList: readonly Authorization[] | undefined;
}

export function readCallRequest(value: unknown, argument: number): CallRequest {
  const wire = readObject(value, { argument }, "ethapi.TransactionArgs");
  const read = <T>(key: string, reader: (value: unknown, path: ParamPath) => T): T | undefined => {
    const value = wire[key];
    return value === undefined || value === null
      ? undefined
      : reader(value, { argument, field: `TransactionArgs.${key}` });
  };
  const request: CallRequest = {
    from: read("from", readLibraryAddress),
    to: read("to", readLibraryAddress),
    data: sameData(read("data", readData), read("input", readData)),
    gas: read("gas", readQuantity),
    gasPrice: read("gasPrice", readBig),
    maxFeePerGas: read("maxFeePerGas", readBig),
    maxPriorityFeePerGas: read("maxPriorityFeePerGas", readBig),
    maxFeePerBlobGas: read("maxFeePerBlobGas", readBig),
    value: read("value", readBig),
    nonce: read("nonce", readQuantity),
    chainId: read("chainId", readBig),
    accessList: read("accessList", readAccessList),
    blobVersionedHashes: read("blobVersionedHashes", readHashes),
    authorizationList: read("authorizationList", readAuthorizations),
  };
  expectOneFeeStyle(request);
  return request;
}

function readBig(value: unknown, path: ParamPath): bigint {
  return readQuantity(value, path, "*hexutil.Big");
}

function readLibraryAddress(value: unknown, path: ParamPath): Address {
  return new Address(readAddress(value, path));
}

function sameData(data: Bytes | undefined, input: Bytes | undefined): Bytes {
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    throw new RpcError(
      RPC.server,
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    );
  }
  return input ?? data ?? EMPTY;
}

function expectOneFeeStyle({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallRequest): void {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw new RpcError(RPC.server, "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  }
}

function readAccessList(value: unknown, path: ParamPath): AccessListEntry[] {
  return readArray(value, path, "types.AccessList").map((entry) => {
    const wire = readObject(entry, path, "types.AccessTuple");
    return {
      address: readAddress(expectField(wire, "address", "AccessTuple", path), within(path, "address")),
      storageKeys: readHashes(expectField(wire, "storageKeys", "AccessTuple", path), within(path, "storageKeys")),
    };
  });
}

function readHashes(value: unknown, path: ParamPath): Bytes[] {
  return readArray(value, path, "[]common.Hash").map((hash) => readHash(hash, path));
}

function readAuthorizations(value: unknown, path: ParamPath): Authorization[] {
  return readArray(value, path, "[]types.SetCodeAuthorization").map((entry) => {
    const wire = readObject(entry, path, "types.SetCodeAuthorization");
    const field = (key: string) => expectField(wire, key, "SetCodeAuthorization", path);
    const uint = (key: string) => uintFromBigInt(readBig(field(key), within(path, key)));
    return {
      chainId: uint("chainId"),
      address: readAddress(field("address"), within(path, "address")),
      nonce: uintFromBigInt(readQuantity(field("nonce"), within(path, "nonce"))),
      yParity: uintFromBigInt(readQuantity(field("yParity"), within(path, "yParity"))),
      r: uint("r"),
      s: uint("s"),
    };
  });
}

function expectField(wire: Wire, key: string, type: string, { argument }: ParamPath): unknown {
  const value = wire[key];
  if (value === undefined || value === null) {
    throw invalidArgument(argument, `missing required field '${key}' for ${type}`);
  }
  return value;
}

function within({ argument, field }: ParamPath, key: string): ParamPath {
  return { argument, field: `${field}.${key}` };
}
