import { Account, Address, unpadBytes } from "@ethereumjs/util";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { ChainError } from "../../../chain/error.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { DevelopmentContext } from "../../context.ts";
import { dataParam, expectAtMost } from "../../params/params.ts";
import { Pace } from "../../state/pace.ts";
import type { WorldState } from "../../state/worldState.ts";
import type { DevelopmentMethods } from "../methods.ts";
import type { DumpedAccount } from "./stateDump.ts";
import { decodeDump, encodeDump } from "./stateDump.ts";

type Params = readonly unknown[];

/** Ignores anvil's flag for historical states. */
async function dumpState({ chain }: DevelopmentContext, params: Params): Promise<Hex> {
  expectAtMost(params, 1);
  try {
    return toHex(await encodeDump(chain.walkAfter(chain.head)));
  } catch (error) {
    if (!(error instanceof ChainError) || error.code !== "unsupported") throw error;
    throw new RpcError(RPC.server, error.message);
  }
}

/** Changes between trie writes. */
const BATCH_SIZE = 500;

/** Merges a dump into the head's state. */
async function loadState({ chain, pool }: DevelopmentContext, params: Params): Promise<true> {
  expectAtMost(params, 1);
  const accounts = await decodeDump(dataParam(params, 0));
  await chain.alter(async ({ state }) => {
    const pace = new Pace(Number.POSITIVE_INFINITY);
    let changes = 0;
    const noteChange = async () => {
      if (++changes % BATCH_SIZE === 0) await state.getStateRoot();
      await pace.check();
    };
    for (const account of accounts) await load(state, account, noteChange);
  });
  await pool.review();
  return true;
}

async function load(state: WorldState, dumped: DumpedAccount, noteChange: () => Promise<void>): Promise<void> {
  const address = new Address(dumped.address);
  const account = (await state.getAccount(address)) ?? new Account();
  account.balance = dumped.balance;
  // Like anvil: nonces never decrease.
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
