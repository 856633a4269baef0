import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { readNativeBalances, readNativeBalancesAt } from "../../query/accounts/nativeBalances.ts";
import type { BlockRef } from "../../query/blocks/namedBlock.ts";
import { resolveBlock } from "../../query/blocks/namedBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import type { AmountAtBlock } from "../../query/tokens/balanceAtBlock.ts";
import { readTokenBalanceAt, readTokenSupplyAt } from "../../query/tokens/balanceAtBlock.ts";
import { readTokenBalance } from "../../query/tokens/balances.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseBlockName, parseNumber, requireAddress, requireAddresses } from "./parse.ts";

export const MAX_ADDRESSES = 20;

const TEXTS = { missing: "Query parameter 'address' is required", invalid: "Invalid address hash" };

/** Balance in wei; several addresses as in `balancemulti` (specification, section 4.2). */
export async function balance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const addresses = requireAddresses(parameters, "address", MAX_ADDRESSES, TEXTS);
  if (addresses.length > 1) return balancemulti(context, parameters);
  const [amount] = await readAmounts(context, addresses, parameters.get("tag"));
  return succeed(String(amount));
}

/** At a block; Etherscan's name. */
export async function balancehistory(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", TEXTS);
  const [amount] = await readAmounts(context, [address], requireBlockNumber(parameters));
  return succeed(String(amount));
}

/** In hex, in the envelope or as JSON-RPC; Blockscout's name. */
export async function ethGetBalance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", TEXTS);
  const [amount = 0n] = await readAmounts(context, [address], parameters.get("block"));
  const asRpc = { jsonrpc: "2.0", id: parameters.get("id") ?? 0 };
  return { ...asRpc, ...succeed(`0x${amount.toString(16)}`) };
}

export async function balancemulti(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const addresses = requireAddresses(parameters, "address", MAX_ADDRESSES, TEXTS);
  const amounts = await readAmounts(context, addresses, parameters.get("tag"));
  return succeed(addresses.map((address, at) => ({ account: toHex(address), balance: String(amounts[at]) })));
}

async function readAmounts(context: QueryContext, addresses: readonly Bytes[], tag: string | undefined) {
  const block = await findTaggedBlock(context, tag);
  if (block === undefined) return readNativeBalances(context, addresses);
  return (await readNativeBalancesAt(context, addresses, block)) ?? refuseState(block);
}

/** In smallest units. */
export function tokenbalance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  return tokenBalanceAt(context, parameters, parameters.get("tag"));
}

/** At a block; Etherscan's name. */
export async function tokenbalancehistory(context: QueryContext, parameters: Parameters): Promise<Answer> {
  return tokenBalanceAt(context, parameters, requireBlockNumber(parameters));
}

async function tokenBalanceAt(context: QueryContext, parameters: Parameters, tag: string | undefined): Promise<Answer> {
  const missing = ["contractaddress", "address"].filter((name) => parameters.get(name) === undefined);
  if (missing.length > 0) throw new ActionError(`Required query parameters missing: ${missing.join(", ")}`);
  const texts = (name: string) => ({ missing: "", invalid: `Invalid ${name} format` });
  const token = requireAddress(parameters, "contractaddress", texts("contractaddress"));
  const address = requireAddress(parameters, "address", texts("address"));
  const block = await findTaggedBlock(context, tag);
  if (block === undefined) return succeed(String(await readTokenBalance(context, address, token)));
  const amount = await readTokenBalanceAt(context, address, token, block);
  return presentAmount(amount, block, "what the address had");
}

/** At a block; Etherscan's name. */
export async function tokensupplyhistory(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const token = requireAddress(parameters, "contractaddress", SUPPLY_TEXTS);
  const block = await findBlock(context, requireBlockNumber(parameters));
  return presentAmount(await readTokenSupplyAt(context, token, block), block, "its supply");
}

const SUPPLY_TEXTS = {
  missing: "Query parameter contract address is required",
  invalid: "Invalid contract address format",
};

function presentAmount(amount: AmountAtBlock, block: BlockRef, what: string): Answer {
  if (amount === "no_state") return refuseState(block);
  if (amount === "no_answer") throw new ActionError(`The token does not say ${what} after block ${block.number}`);
  return succeed(String(amount));
}

function requireBlockNumber(parameters: Parameters): string {
  const text = parameters.get("blockno");
  if (text === undefined) throw new ActionError("Query parameter 'blockno' is required");
  if (parseNumber(text) === undefined) throw new ActionError("Invalid block number");
  return text;
}

/** Undefined for the newest indexed block, the default. */
async function findTaggedBlock(context: QueryContext, tag = "latest"): Promise<BlockRef | undefined> {
  if (parseBlockName(tag) === "latest") return undefined;
  const block = await findBlock(context, tag);
  const newest = await resolveBlock(context, "latest");
  return newest !== undefined && equalBytes(newest.hash, block.hash) ? undefined : block;
}

async function findBlock(context: QueryContext, tag: string): Promise<BlockRef> {
  const name = parseBlockName(tag);
  if (name === undefined) throw new ActionError(INVALID_TAG);
  const block = await resolveBlock(context, name);
  if (block === undefined) throw new ActionError("Block does not exist");
  return block;
}

const INVALID_TAG = "Invalid tag: use latest, earliest, safe, finalized or a block number";

function refuseState({ number }: BlockRef): never {
  throw new ActionError(`The node does not have the state after block ${number}`);
}
