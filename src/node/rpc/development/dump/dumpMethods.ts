import { Account, Address, unpadBytes } from "@ethereumjs/util";
import type { Hex } from "../../../../chain/encoding/hex.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import { ChainError } from "../../../../chain/error.ts";
import { RPC, RpcError } from "../../../../jsonrpc/rpcError.ts";
import type { MinedBlock } from "../../../block/minedBlock.ts";
import type { DevelopmentContext } from "../../../context.ts";
import type { Machine } from "../../../machine/machine.ts";
import { dataParam, expectAtMost, flagParam } from "../../../params/params.ts";
import { Pace } from "../../../state/pace.ts";
import type { WorldState } from "../../../state/worldState.ts";
import type { DevelopmentMethods } from "../../methods.ts";
import type { DumpedAccount } from "./accounts.ts";
import { decodeDump, encodeDump } from "./stateDump.ts";

type Params = readonly unknown[];

/** The parameter of anvil asks for the states after past blocks as well. */
async function dumpState({ chain }: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  const hasStates = flagParam(params, 0, false);
  try {
    return toHex(await encodeDump(chain, hasStates));
  } catch (error) {
    if (!(error instanceof ChainError) || error.code !== "unsupported") throw error;
    throw new RpcError(RPC.server, error.message);
  }
}

/** Puts the accounts of a dump into the state, and its blocks in the place of those of the chain. */
async function loadState(context: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 1);
  const { chain, pool, snapshots } = context;
  const { accounts, blocks, states } = await decodeDump(dataParam(params, 0), chain.rules);
  const change = (machine: Machine) => fill(machine, accounts);
  if (blocks.length === 0) {
    await chain.alter(change);
  } else {
    const stateOf = ({ header }: MinedBlock) => {
      const known = states.get(toHex(header.hash));
      return known && ((machine: Machine) => fill(machine, known));
    };
    const kept = await chain.load(change, { blocks, stateOf });
    snapshots.forgetAbove(kept);
  }
  await pool.review();
  return true;
}

/** Changes before they are written into the tries, which takes as long as there are changes. */
const BATCH_SIZE = 500;

async function fill({ state }: Machine, accounts: Iterable<DumpedAccount>): Promise<void> {
  const pace = new Pace(Number.POSITIVE_INFINITY);
  let changes = 0;
  const noteChange = async () => {
    if (++changes % BATCH_SIZE === 0) await state.getStateRoot();
    await pace.check();
  };
  for (const account of accounts) await put(state, account, noteChange);
}

async function put(state: WorldState, dumped: DumpedAccount, noteChange: () => Promise<void>): Promise<void> {
  const address = new Address(dumped.address);
  const account = (await state.getAccount(address)) ?? new Account();
  account.balance = dumped.balance;
  // As anvil has it: no nonce is used twice, however often a state is loaded.
  if (dumped.nonce > account.nonce) account.nonce = dumped.nonce;
  await state.putAccount(address, account);
  await state.putCode(address, dumped.code);
  await noteChange();
  for (const [key, value] of dumped.storage) {
    await state.putStorage(address, key, unpadBytes(value));
    await noteChange();
  }
}

export const dumpMethods: DevelopmentMethods = {
  anvil_dumpState: dumpState,
  hardhat_dumpState: dumpState,
  anvil_loadState: loadState,
  hardhat_loadState: loadState,
};
