import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Draft, Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { ParamPath } from "../params/params.ts";
import { invalidArgument, readAddress, readHash, readObject, readQuantity } from "../params/params.ts";

export interface BlockOverrides {
  readonly number?: bigint;
  readonly timestamp?: bigint;
  readonly gasLimit?: bigint;
  readonly difficulty?: bigint;
  readonly feeRecipient?: Bytes;
  readonly prevRandao?: Bytes;
  readonly baseFeePerGas?: bigint;
  readonly blobBaseFee?: bigint;
}

/** Accepts older field names too. */
export function readBlockOverrides(value: unknown, argument: number): BlockOverrides {
  if (value === undefined || value === null) return {};
  const wire = readObject(value, { argument }, "override.BlockOverrides");
  const refused = ["beaconRoot", "withdrawals"].find((key) => isGiven(wire, key));
  if (refused !== undefined) {
    throw new RpcError(RPC.server, `block override "${refused}" is not supported for this RPC method`);
  }
  return readFields(wire, argument);
}

export function readFields(wire: Wire, argument: number): BlockOverrides {
  const path = (field: string): ParamPath => ({ argument, field: `BlockOverrides.${field}` });
  const draft: Draft<BlockOverrides> = {};
  for (const [name, keys, type] of QUANTITIES) {
    const key = keys.find((key) => isGiven(wire, key));
    if (key !== undefined) draft[name] = readQuantity(wire[key], path(key), type);
  }
  const recipient = ["feeRecipient", "coinbase"].find((key) => isGiven(wire, key));
  if (recipient !== undefined) draft.feeRecipient = readAddress(wire[recipient], path(recipient));
  const randao = ["prevRandao", "random"].find((key) => isGiven(wire, key));
  if (randao !== undefined) draft.prevRandao = readHash(wire[randao], path(randao));
  expectSafe(draft, argument);
  return draft;
}

const QUANTITIES = [
  ["number", ["number"], "*hexutil.Big"],
  ["timestamp", ["time", "timestamp"], "hexutil.Uint64"],
  ["gasLimit", ["gasLimit"], "hexutil.Uint64"],
  ["difficulty", ["difficulty"], "*hexutil.Big"],
  ["baseFeePerGas", ["baseFeePerGas", "baseFee"], "*hexutil.Big"],
  ["blobBaseFee", ["blobBaseFee"], "*hexutil.Big"],
] as const;

function isGiven(wire: Wire, key: string): boolean {
  return wire[key] !== undefined && wire[key] !== null;
}

/** These two select the rules, and are numbers there. */
function expectSafe({ number = 0n, timestamp = 0n }: BlockOverrides, argument: number): void {
  if (number > MAX_NUMBER || timestamp > MAX_NUMBER) throw invalidArgument(argument, "block number or time too high");
}

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
