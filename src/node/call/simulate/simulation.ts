import type { Withdrawal } from "../../../chain/block/header.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { ParamPath } from "../../params/params.ts";
import { readAddress, readArray, readFlag, readHash, readObject, readQuantity } from "../../params/params.ts";
import type { BlockOverrides } from "../blockOverrides.ts";
import { readFields } from "../blockOverrides.ts";
import type { CallRequest } from "../callRequest.ts";
import { readCallRequest } from "../callRequest.ts";
import type { AccountOverride } from "../stateOverrides.ts";
import { readStateOverrides } from "../stateOverrides.ts";

interface SimulatedOverrides extends BlockOverrides {
  readonly beaconRoot?: Bytes;
  readonly withdrawals?: readonly Withdrawal[];
}

export interface BlockStateCall {
  readonly block: SimulatedOverrides;
  readonly state: readonly AccountOverride[];
  readonly calls: readonly CallRequest[];
}

export interface Simulation {
  readonly blocks: readonly BlockStateCall[];
  /** Adds a log for every ether transfer. */
  readonly traceTransfers: boolean;
  /** Applies all transaction rules to calls. */
  readonly validation: boolean;
  readonly returnFullTransactions: boolean;
}

export function readSimulation(value: unknown, argument: number): Simulation {
  const wire = readObject(value, { argument }, "ethapi.simOpts");
  const flag = (key: string) => {
    const value = wire[key];
    return value === undefined || value === null ? false : readFlag(value, { argument, field: `simOpts.${key}` });
  };
  const path = { argument, field: "simOpts.blockStateCalls" };
  return {
    blocks: readArray(wire.blockStateCalls ?? [], path, "[]ethapi.simBlock").map((block) => readBlock(block, path)),
    traceTransfers: flag("traceTransfers"),
    validation: flag("validation"),
    returnFullTransactions: flag("returnFullTransactions"),
  };
}

function readBlock(value: unknown, path: ParamPath): BlockStateCall {
  const { argument } = path;
  const wire = readObject(value, path, "ethapi.simBlock");
  const overrides = readObject(wire.blockOverrides ?? {}, path, "override.BlockOverrides");
  return {
    block: { ...readFields(overrides, argument), ...readExtras(overrides, path) },
    state: readStateOverrides(wire.stateOverrides, argument),
    calls: readArray(wire.calls ?? [], path, "[]ethapi.TransactionArgs").map((call) => readCallRequest(call, argument)),
  };
}

function readExtras({ beaconRoot, withdrawals }: Wire, path: ParamPath): SimulatedOverrides {
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  return {
    ...(isGiven(beaconRoot) && { beaconRoot: readHash(beaconRoot, path) }),
    ...(isGiven(withdrawals) && {
      withdrawals: readArray(withdrawals, path, "types.Withdrawals").map((each) => readWithdrawal(each, path)),
    }),
  };
}

function readWithdrawal(value: unknown, path: ParamPath): Withdrawal {
  const wire = readObject(value, path, "types.Withdrawal");
  return {
    index: Number(readQuantity(wire.index, path)),
    validatorIndex: Number(readQuantity(wire.validatorIndex, path)),
    address: readAddress(wire.address, path),
    amount: uintFromBigInt(readQuantity(wire.amount, path)),
  };
}
