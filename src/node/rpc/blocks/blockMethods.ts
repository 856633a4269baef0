import { quantity } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { encodeBlock } from "../../block/assemble.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { decodeHeaderRlp } from "../../block/stored.ts";
import { isPending } from "../../blockIds.ts";
import { findBlock } from "../../findBlock.ts";
import type { BlockId } from "../../params/blockParams.ts";
import { blockNumberParam, requiredBlockId } from "../../params/blockParams.ts";
import { expectAtMost, flagParam, hashParam, quantityParam } from "../../params/params.ts";
import { presentBlock, presentPendingBlock, presentReceipts } from "../../present.ts";
import type { Method, Methods } from "../methods.ts";

type ReadId = (params: readonly unknown[]) => BlockId;

/** Readers of the two forms of block ids. */
const byHash: ReadId = (params) => ({ hash: hashParam(params, 0) });
const byNumber: ReadId = (params) => blockNumberParam(params, 0);

/** Missing records are null. */
export const blockMethods: Methods = {
  eth_getBlockByHash: getBlock(byHash),
  eth_getBlockByNumber: getBlock(byNumber),
  eth_getBlockReceipts: ofBlock((params) => requiredBlockId(params, 0), presentReceipts),
  eth_getBlockTransactionCountByHash: ofBlock(byHash, ({ transactions }) => quantity(transactions.length)),
  eth_getBlockTransactionCountByNumber: ofBlock(byNumber, ({ transactions }) => quantity(transactions.length)),
  eth_getUncleCountByBlockHash: ofBlock(byHash, ({ uncles }) => quantity(uncles.length)),
  eth_getUncleCountByBlockNumber: ofBlock(byNumber, ({ uncles }) => quantity(uncles.length)),
  eth_getUncleByBlockHashAndIndex: getUncle(byHash),
  eth_getUncleByBlockNumberAndIndex: getUncle(byNumber),
};

function getBlock(readId: ReadId): Method {
  return async (context, params) => {
    expectAtMost(params, 2);
    const id = readId(params);
    const isFull = flagParam(params, 1, false);
    const block = await findBlock(context, id);
    if (block === undefined) return null;
    return isPending(id) ? presentPendingBlock(block, isFull) : presentBlock(block, isFull);
  };
}

function ofBlock(readId: ReadId, present: (block: MinedBlock) => unknown): Method {
  return async (context, params) => {
    expectAtMost(params, 1);
    const block = await findBlock(context, readId(params));
    return block === undefined ? null : present(block);
  };
}

function getUncle(readId: ReadId): Method {
  return async (context, params) => {
    expectAtMost(params, 2);
    const id = readId(params);
    const index = Number(quantityParam(params, 1));
    const uncle = (await findBlock(context, id))?.uncles[index];
    return uncle === undefined ? null : presentUncle(uncle);
  };
}

/** An uncle is a block with only a header. */
function presentUncle(rlp: Uint8Array): Wire {
  const header = decodeHeaderRlp(rlp);
  header.size = encodeBlock(header, [], []).length;
  const block = { header, transactions: [], receipts: [], raw: [], uncles: [], stateRoot: header.stateRoot };
  const { transactions: _, ...record } = presentBlock(block, false);
  return record;
}
