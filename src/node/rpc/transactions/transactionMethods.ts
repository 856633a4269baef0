import { Address } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { isPending } from "../../blockIds.ts";
import type { Chain } from "../../chain.ts";
import type { Context } from "../../context.ts";
import { findBlock } from "../../findBlock.ts";
import type { BlockId } from "../../params/blockParams.ts";
import { blockNumberParam } from "../../params/blockParams.ts";
import { addressParam, expectAtMost, hashParam, quantityParam } from "../../params/params.ts";
import { presentPendingTransaction, presentReceipt, presentTransaction } from "../../present.ts";
import type { Method, Methods } from "../methods.ts";

type ReadId = (params: readonly unknown[]) => BlockId;

const byHash: ReadId = (params) => ({ hash: hashParam(params, 0) });
const byNumber: ReadId = (params) => blockNumberParam(params, 0);

/** Missing records are null. */
export const transactionMethods: Methods = {
  eth_getTransactionByHash: ({ chain, pool }, params) => {
    expectAtMost(params, 1);
    const hash = hashParam(params, 0);
    const mined = chain.transaction(hash);
    if (mined !== undefined) return presentTransaction(mined.block, mined.position);
    const pooled = pool.get(hash);
    return pooled === undefined ? null : presentPendingTransaction(pooled.transaction);
  },
  eth_getTransactionReceipt: ({ chain }, params) => {
    expectAtMost(params, 1);
    const mined = chain.transaction(hashParam(params, 0));
    return mined === undefined ? null : presentReceipt(mined.block, mined.position);
  },
  eth_getRawTransactionByHash: (context, params) => {
    expectAtMost(params, 1);
    return rawTransaction(context, hashParam(params, 0));
  },
  eth_getTransactionByBlockHashAndIndex: atIndex(byHash, presentPlaced),
  eth_getTransactionByBlockNumberAndIndex: atIndex(byNumber, presentPlaced),
  eth_getRawTransactionByBlockHashAndIndex: atIndex(byHash, ({ raw }, index) => toHex(itemAt(raw, index)), "0x"),
  eth_getRawTransactionByBlockNumberAndIndex: atIndex(byNumber, ({ raw }, index) => toHex(itemAt(raw, index)), "0x"),
  eth_getTransactionBySenderAndNonce: async (context, params) => {
    expectAtMost(params, 2);
    const nonce = quantityParam(params, 1, "hexutil.Uint64");
    return (await findBySender(context, addressParam(params, 0), nonce)) ?? null;
  },
};

/** Empty for an unknown transaction, as in geth. */
export function rawTransaction({ chain, pool }: Context, hash: Bytes): string {
  const mined = chain.transaction(hash);
  if (mined !== undefined) return toHex(itemAt(mined.block.raw, mined.position));
  const pooled = pool.get(hash);
  return pooled === undefined ? "0x" : toHex(pooled.raw);
}

type Show = (block: MinedBlock, index: number, isPendingBlock: boolean) => unknown;

function atIndex(readId: ReadId, show: Show, absent: unknown = null): Method {
  return async (context, params) => {
    expectAtMost(params, 2);
    const id = readId(params);
    const index = Number(quantityParam(params, 1));
    const block = await findBlock(context, id);
    if (block === undefined || index >= block.transactions.length) return absent;
    return show(block, index, isPending(id));
  };
}

function presentPlaced(block: MinedBlock, index: number, isPendingBlock: boolean): Wire {
  return isPendingBlock
    ? presentPendingTransaction(itemAt(block.transactions, index))
    : presentTransaction(block, index);
}

async function findBySender({ chain, pool }: Context, sender: Bytes, nonce: bigint): Promise<Wire | undefined> {
  const block = await blockOfNonce(chain, sender, nonce);
  const index = block?.transactions.findIndex((tx) => equalBytes(tx.from, sender) && uintToBigInt(tx.nonce) === nonce);
  if (block !== undefined && index !== undefined && index >= 0) return presentTransaction(block, index);
  const { pending, queued } = pool.content();
  const pooled = [...(pending.get(toHex(sender)) ?? []), ...(queued.get(toHex(sender)) ?? [])];
  const found = pooled.find(({ transaction }) => uintToBigInt(transaction.nonce) === nonce);
  return found && presentPendingTransaction(found.transaction);
}

/** Binary search over states, since nonces only grow. */
async function blockOfNonce(chain: Chain, sender: Bytes, nonce: bigint): Promise<MinedBlock | undefined> {
  const isUsedAfter = async (block: MinedBlock) => {
    const account = await chain.stateAfter(block).getAccount(new Address(sender));
    return account !== undefined && account.nonce > nonce;
  };
  if (!(await isUsedAfter(chain.head))) return undefined;
  let [low, high] = [0, chain.head.header.number];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // The chain may have been rewound meanwhile.
    if (await isUsedAfter(chain.block(middle) ?? chain.head)) high = middle;
    else low = middle + 1;
  }
  return chain.block(low);
}
