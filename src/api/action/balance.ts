import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { readNativeBalances, readNativeBalancesAt } from "../../query/accounts/nativeBalances.ts";
import type { BlockRef } from "../../query/blocks/namedBlock.ts";
import { resolveBlock } from "../../query/blocks/namedBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import { readTokenBalanceAt } from "../../query/tokens/balanceAtBlock.ts";
import { readTokenBalance } from "../../query/tokens/balances.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseBlockName, requireAddress, requireAddresses } from "./parse.ts";

export const MAX_ADDRESSES = 20;

const TEXTS = { missing: "Query parameter 'address' is required", invalid: "Invalid address hash" };

/** Balance in wei; several addresses as in `balancemulti` (specification, section 4.2). */
export async function balance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const addresses = requireAddresses(parameters, "address", MAX_ADDRESSES, TEXTS);
  if (addresses.length > 1) return balancemulti(context, parameters);
  const [amount] = await readAmounts(context, addresses, parameters);
  return succeed(String(amount));
}

export async function balancemulti(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const addresses = requireAddresses(parameters, "address", MAX_ADDRESSES, TEXTS);
  const amounts = await readAmounts(context, addresses, parameters);
  return succeed(addresses.map((address, at) => ({ account: toHex(address), balance: String(amounts[at]) })));
}

async function readAmounts(context: QueryContext, addresses: readonly Bytes[], parameters: Parameters) {
  const block = await findTaggedBlock(context, parameters);
  if (block === undefined) return readNativeBalances(context, addresses);
  return (await readNativeBalancesAt(context, addresses, block)) ?? refuseState(block);
}

/** In smallest units. */
export async function tokenbalance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const missing = ["contractaddress", "address"].filter((name) => parameters.get(name) === undefined);
  if (missing.length > 0) throw new ActionError(`Required query parameters missing: ${missing.join(", ")}`);
  const texts = (name: string) => ({ missing: "", invalid: `Invalid ${name} format` });
  const token = requireAddress(parameters, "contractaddress", texts("contractaddress"));
  const address = requireAddress(parameters, "address", texts("address"));
  const block = await findTaggedBlock(context, parameters);
  if (block === undefined) return succeed(String(await readTokenBalance(context, address, token)));
  const amount = await readTokenBalanceAt(context, address, token, block);
  if (amount === "no_state") return refuseState(block);
  if (amount === "no_answer") {
    throw new ActionError(`The token does not say what the address had after block ${block.number}`);
  }
  return succeed(String(amount));
}

/** Undefined for the newest indexed block, the default. */
async function findTaggedBlock(context: QueryContext, parameters: Parameters): Promise<BlockRef | undefined> {
  const text = parameters.get("tag");
  const name = text === undefined ? "latest" : parseBlockName(text);
  if (name === undefined) throw new ActionError(INVALID_TAG);
  if (name === "latest") return undefined;
  const block = await resolveBlock(context, name);
  if (block === undefined) throw new ActionError("Block does not exist");
  const newest = await resolveBlock(context, "latest");
  return newest !== undefined && equalBytes(newest.hash, block.hash) ? undefined : block;
}

const INVALID_TAG = "Invalid tag: use latest, earliest, safe, finalized or a block number";

function refuseState({ number }: BlockRef): never {
  throw new ActionError(`The node does not have the state after block ${number}`);
}
