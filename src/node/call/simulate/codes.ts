import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { Refusal } from "../checkMessage.ts";
import { MessageRefused } from "../checkMessage.ts";

export const SIMULATION = {
  invalidParams: RPC.invalidParams,
  blockGasLimit: -38_015,
  blockNumber: -38_020,
  timestamp: -38_021,
  tooMuch: -38_026,
  machine: -32_015,
} as const;

const CODES: Readonly<Record<Refusal, number>> = {
  nonceTooLow: -38_010,
  nonceTooHigh: -38_011,
  tipTooHigh: RPC.invalidParams,
  feeTooLow: -38_012,
  intrinsicGas: -38_013,
  funds: -38_014,
  initCode: -38_025,
  other: RPC.internal,
};

export function coded(error: unknown): unknown {
  return error instanceof MessageRefused ? new RpcError(CODES[error.refusal], error.message) : error;
}
