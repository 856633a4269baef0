import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { listAccounts } from "../../query/accounts/accounts.ts";
import { findFunding } from "../../query/accounts/funding.ts";
import { findBlocksBetween } from "../../query/blocks/blocksByTime.ts";
import { readMinedBlocks } from "../../query/blocks/minedBlocks.ts";
import { readNewestNumber } from "../../query/blocks/newestBlock.ts";
import { readWithdrawalHistory } from "../../query/blocks/withdrawalHistory.ts";
import type { QueryContext } from "../../query/context.ts";
import { listTokenBalances } from "../../query/tokens/balances.ts";
import { kindOf } from "../../query/tokens/token.ts";
import { readTransferHistory } from "../../query/tokens/transferHistory.ts";
import type { Role } from "../../query/transactions/addressHistory.ts";
import { readAddressHistory } from "../../query/transactions/addressHistory.ts";
import { mapInTurns } from "../../std/async.ts";
import { WrittenList } from "../http/stringify.ts";
import type { ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, indexedList, list, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import type { BlockOrder } from "./parse.ts";
import { optionalAddress, parseBlockOrder, parseNumber, parsePage, parsePageRequest, requireAddress } from "./parse.ts";
import { presentMinedBlock, presentTransfer } from "./present.ts";
import { writeTransaction } from "./writeTransaction.ts";

export const MAX_ROWS = 10_000;

export const MAX_BALANCES = 1000;

/** Newest first (specification, section 4.2). */
export async function txlist(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", ADDRESS_TEXTS);
  const window = { ...(await blocksOf(context, parameters)), ...parsePage(parameters, MAX_ROWS) };
  const { rows, decode, height } = await readAddressHistory(context, address, parseRole(parameters), window);
  const written = new WrittenList(rows, (row, json) => writeTransaction(decode(row), height, json));
  return indexedList(written, "No transactions found");
}

const ADDRESS_TEXTS = { missing: "Query parameter 'address' is required", invalid: "Invalid address format" };

function parseRole(parameters: Parameters): Role {
  const role = parameters.get("filter_by");
  return role === "from" || role === "to" ? role : "any";
}

async function blocksOf(context: QueryContext, parameters: Parameters): Promise<BlockOrder> {
  const blocks = parseBlockOrder(parameters);
  const from = parseNumber(parameters.get("start_timestamp"));
  const to = parseNumber(parameters.get("end_timestamp"));
  if (from === undefined && to === undefined) return blocks;
  const { fromBlock, toBlock } = await findBlocksBetween(context, from, to);
  return {
    ...blocks,
    fromBlock: Math.max(blocks.fromBlock, fromBlock),
    toBlock: Math.min(blocks.toBlock, toBlock),
  };
}

/** Newest first (specification, section 4.2). */
const transfersOf = (kind: TokenKind) => async (context: QueryContext, parameters: Parameters) => {
  const address = optionalAddress(parameters, "address", "Invalid address format");
  const token = optionalAddress(parameters, "contractaddress", "Invalid contract address format");
  if (address === undefined && token === undefined) {
    throw new ActionError("Query parameter address or contractaddress is required");
  }
  const window = { ...parseBlockOrder(parameters), ...parsePage(parameters, MAX_ROWS) };
  const { transfers, height } = await readTransferHistory(context, { address, token }, kind, window);
  return indexedList(await mapInTurns(transfers, (each) => presentTransfer(each, height)), "No transactions found");
};

export const tokentx = transfersOf("ERC-20");
export const tokennfttx = transfersOf("ERC-721");
export const token1155tx = transfersOf("ERC-1155");

/** All token balances of an address, one row per ERC-1155 item. */
export async function tokenlist(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const texts = { missing: "Query parameter address is required", invalid: "Invalid address format" };
  const address = requireAddress(parameters, "address", texts);
  const { balances } = await listTokenBalances(context, address, parsePageRequest(parameters, MAX_BALANCES));
  const rows = balances.map(({ token, tokenId, amount }) => ({
    balance: amount.toString(),
    contractAddress: toHex(token.address),
    name: token.seen?.name.text ?? "",
    decimals: String(token.seen?.decimals ?? 0),
    symbol: token.seen?.symbol.text ?? "",
    type: kindOf(token),
    ...(tokenId === undefined ? {} : { id: uintToBigInt(tokenId).toString() }),
  }));
  return list(rows, "No tokens found");
}

/** Uncles are not stored: their list is empty. */
export async function getminedblocks(
  context: QueryContext,
  parameters: Parameters,
  { isEtherscan }: ActionRequest,
): Promise<Answer> {
  const address = requireAddress(parameters, "address", ADDRESS_TEXTS);
  const window = { ...parseBlockOrder(parameters), ...parsePage(parameters, MAX_ROWS) };
  const type = parameters.get("blocktype")?.toLowerCase() ?? "blocks";
  if (type !== "blocks" && type !== "uncles") throw new ActionError("Invalid blocktype: use blocks or uncles");
  const blocks = type === "uncles" ? [] : await readMinedBlocks(context, address, window);
  return list(
    blocks.map((block) => presentMinedBlock(block, context.blockReward)),
    isEtherscan ? "No transactions found" : "No blocks found",
  );
}

/** Who first sent coins to an address; numbers and names are Etherscan's. */
export async function fundedby(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const found = await findFunding(context, requireAddress(parameters, "address", ADDRESS_TEXTS));
  if (found === undefined) return list([], "No transactions found");
  return succeed({
    block: found.block,
    timeStamp: String(found.timestamp),
    fundingAddress: toHex(found.from),
    fundingTxn: toHex(found.transaction),
    value: found.value.toString(),
  });
}

/** Amounts in gwei, as Etherscan has them. */
export async function txsBeaconWithdrawal(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", ADDRESS_TEXTS);
  const window = { ...parseBlockOrder(parameters), ...parsePage(parameters, MAX_ROWS) };
  const withdrawals = await readWithdrawalHistory(context, address, window);
  const rows = withdrawals.map(({ index, validatorIndex, amount, header }) => ({
    withdrawalIndex: String(index),
    validatorIndex: String(validatorIndex),
    address: toHex(address),
    amount: uintToBigInt(amount).toString(),
    blockNumber: String(header.number),
    timestamp: String(header.timestamp),
  }));
  return indexedList(rows, "No transactions found");
}

/** Indexed accounts by balance. `stale` marks a balance older than the index. */
export async function listaccounts(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const { accounts, info } = await listAccounts(context, parsePageRequest(parameters, MAX_BALANCES, 10));
  const stale = info.block !== (await readNewestNumber(context));
  const rows = accounts.map(({ address, balance }) => ({
    address: toHex(address),
    balance: balance.toString(),
    stale,
  }));
  return list(rows, "No accounts found");
}
