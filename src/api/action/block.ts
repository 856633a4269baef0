import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { findBlock } from "../../query/blocks/block.ts";
import { readBlockCounts } from "../../query/blocks/blockCounts.ts";
import { findBlockByTime } from "../../query/blocks/blocksByTime.ts";
import { readCountdown } from "../../query/blocks/countdown.ts";
import { readNewestNumber } from "../../query/blocks/newestBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import type { ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import { NOT_YET } from "./internal.ts";
import type { Parameters } from "./parameters.ts";
import { parseNumber } from "./parse.ts";

/** The newest indexed block, in the envelope or as JSON-RPC (specification, section 4.2). */
export async function ethBlockNumber(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const newest = (await readNewestNumber(context)) ?? 0;
  const asRpc = { jsonrpc: "2.0", id: parameters.get("id") ?? 1 };
  return { ...asRpc, ...succeed(quantity(newest)) };
}

/** A string for Etherscan's clients, a record for Blockscout's. */
export async function getblocknobytime(
  context: QueryContext,
  parameters: Parameters,
  { isEtherscan }: ActionRequest,
): Promise<Answer> {
  const [text, closest] = [parameters.get("timestamp"), parameters.get("closest")];
  if (text === undefined) throw new ActionError("Query parameter 'timestamp' is required");
  if (closest === undefined) throw new ActionError("Query parameter 'closest' is required");
  const time = parseNumber(text);
  if (time === undefined) throw new ActionError("Invalid `timestamp` param");
  if (closest !== "before" && closest !== "after") throw new ActionError("Invalid `closest` param");
  const number = await findBlockByTime(context, time, closest);
  if (number === undefined) throw new ActionError("Block does not exist");
  return succeed(isEtherscan ? String(number) : { blockNumber: String(number) });
}

export async function getblockreward(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const found = await findBlock(context, requireBlock(parameters));
  if (found === undefined) throw new ActionError("Block does not exist");
  const { header, reward } = found.block;
  if (header.uncles.length > 0) throw new ActionError("The rewards of uncles are not indexed");
  return succeed({
    blockNumber: String(header.number),
    timeStamp: String(header.timestamp),
    blockMiner: toHex(header.miner),
    blockReward: String(reward ?? 0),
    uncles: [],
    uncleInclusionReward: "0",
  });
}

/** Numbers, as Etherscan has them; transfers of an ERC-1155 count once per id. */
export async function getblocktxnscount(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const block = requireBlock(parameters);
  const counts = await readBlockCounts(context, block);
  if (counts === undefined) throw new ActionError("Block does not exist");
  const { transactions, internal, transfers } = counts;
  const result = {
    block,
    txsCount: transactions,
    internalTxsCount: internal ?? 0,
    erc20TxsCount: transfers.get("ERC-20") ?? 0,
    erc721TxsCount: transfers.get("ERC-721") ?? 0,
    erc1155TxsCount: transfers.get("ERC-1155") ?? 0,
  };
  return internal === undefined ? { status: "2", message: NOT_YET, result } : succeed(result);
}

/** Blocks and seconds until a future block. */
export async function getblockcountdown(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const wanted = requireBlock(parameters);
  const countdown = await readCountdown(context, wanted);
  if (countdown === undefined) throw new ActionError("Error! Block number already pass");
  return succeed({
    CurrentBlock: String(countdown.height),
    CountdownBlock: String(wanted),
    RemainingBlock: String(countdown.remaining),
    EstimateTimeInSec: countdown.seconds.toFixed(1),
  });
}

function requireBlock(parameters: Parameters): number {
  const text = parameters.get("blockno");
  if (text === undefined) throw new ActionError("Query parameter 'blockno' is required");
  const number = parseNumber(text);
  if (number === undefined) throw new ActionError("Invalid block number");
  return number;
}
