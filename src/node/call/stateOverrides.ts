import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { PrecompileFunc } from "@ethereumjs/evm";
import { Account, Address, toChecksumAddress, unpadBytes } from "@ethereumjs/util";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import { Turn } from "../../std/async.ts";
import type { Machine } from "../machine/machine.ts";
import type { ParamPath } from "../params/params.ts";
import { readAddress, readData, readHash, readObject, readQuantity } from "../params/params.ts";

export interface AccountOverride {
  readonly address: Bytes;
  readonly nonce: bigint | undefined;
  readonly code: Bytes | undefined;
  readonly balance: bigint | undefined;
  readonly state: readonly Slot[] | undefined;
  readonly stateDiff: readonly Slot[] | undefined;
  readonly movePrecompileTo: Bytes | undefined;
}

interface Slot {
  readonly key: Bytes;
  readonly value: Bytes;
}

export function readStateOverrides(value: unknown, argument: number): readonly AccountOverride[] {
  if (value === undefined || value === null) return [];
  const wire = readObject(value, { argument }, "override.StateOverride");
  return Object.entries(wire).map(([address, account]) =>
    readAccount(readAddress(address, { argument }), readObject(account ?? {}, { argument }, TYPE), argument),
  );
}

const TYPE = "override.OverrideAccount";

function readAccount(address: Bytes, wire: Wire, argument: number): AccountOverride {
  const read = <T>(key: string, reader: (value: unknown, path: ParamPath) => T): T | undefined => {
    const value = wire[key];
    return value === undefined || value === null
      ? undefined
      : reader(value, { argument, field: `OverrideAccount.${key}` });
  };
  return {
    address,
    nonce: read("nonce", readQuantity),
    code: read("code", readData),
    balance: read("balance", (value, path) => readQuantity(value, path, "*hexutil.Big")),
    state: read("state", readSlots),
    stateDiff: read("stateDiff", readSlots),
    movePrecompileTo: read("movePrecompileToAddress", readAddress),
  };
}

function readSlots(value: unknown, path: ParamPath): Slot[] {
  const wire = readObject(value, path, "map[common.Hash]common.Hash");
  return Object.entries(wire).map(([key, slot]) => ({ key: readHash(key, path), value: readHash(slot, path) }));
}

/** Applies overrides as if a previous transaction had made them. */
export async function applyStateOverrides(machine: Machine, overrides: readonly AccountOverride[]): Promise<void> {
  // Parsing thousands of slots took a while already.
  if (overrides.some(hasManySlots)) await yieldToEventLoop();
  const overridden = new Set(overrides.map(({ address }) => toHex(address)));
  const moved = new Set<string>();
  const turn = new Turn();
  for (const override of overrides) {
    if (moved.has(toHex(override.address))) {
      throw refused(override.address, "has already been overridden by a precompile");
    }
    movePrecompile(machine, override, overridden, moved);
    await applyAccount(machine, override, turn);
  }
}

const MANY_SLOTS = 1000;

function hasManySlots({ state, stateDiff }: AccountOverride): boolean {
  return (state ?? stateDiff ?? []).length > MANY_SLOTS;
}

function movePrecompile(machine: Machine, override: AccountOverride, overridden: Set<string>, moved: Set<string>) {
  const precompiles = machine.evm.precompiles as Map<string, PrecompileFunc>;
  const precompile = precompiles.get(toHex(override.address).slice(2));
  const { movePrecompileTo: target } = override;
  if (target !== undefined) {
    if (precompile === undefined) throw refused(override.address, "is not a precompile");
    if (overridden.has(toHex(target))) throw refused(target, "is already overridden");
    precompiles.set(toHex(target).slice(2), precompile);
    moved.add(toHex(target));
  }
  if (precompile !== undefined) precompiles.delete(toHex(override.address).slice(2));
}

async function applyAccount({ state }: Machine, override: AccountOverride, turn: Turn): Promise<void> {
  const address = new Address(override.address);
  if (override.state !== undefined && override.stateDiff !== undefined) {
    throw refused(override.address, "has both 'state' and 'stateDiff'");
  }
  const { nonce, balance, code, stateDiff } = override;
  // An empty override does not create an account.
  if ([nonce, balance, code, override.state, stateDiff].every((field) => field === undefined)) return;
  const account = (await state.getAccount(address)) ?? new Account();
  account.nonce = nonce ?? account.nonce;
  account.balance = balance ?? account.balance;
  await state.putAccount(address, account);
  if (code !== undefined) await state.putCode(address, code);
  if (override.state !== undefined) await state.clearStorage(address);
  for (const { key, value } of override.state ?? stateDiff ?? []) {
    await state.putStorage(address, key, unpadBytes(value));
    await turn.yieldToEventLoop();
  }
}

function refused(address: Bytes, reason: string): RpcError {
  return new RpcError(RPC.server, `account ${toChecksumAddress(toHex(address))} ${reason}`);
}
