import { feeOf } from "../../../chain/block/fees.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { quantity } from "../../../chain/encoding/hex.ts";
import { itemAt } from "../../../std/values.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { isPending, minedBlock } from "../../blockIds.ts";
import type { CallFrame } from "../../call/trace/callTracer.ts";
import { CallTracer } from "../../call/trace/callTracer.ts";
import { traceTransaction } from "../../call/trace/traceBlock.ts";
import type { TraceConfig } from "../../call/trace/traceConfig.ts";
import type { Context } from "../../context.ts";
import { blockNumberParam } from "../../params/blockParams.ts";
import { expectAtMost, hashParam, invalidArgument, required } from "../../params/params.ts";
import { presentBlock, presentReceipt, presentTransaction } from "../../present.ts";
import type { Methods } from "../methods.ts";
import { stateMethods } from "../state/stateMethods.ts";
import { transactionMethods } from "../transactions/transactionMethods.ts";

/** The level of Otterscan's interface that these belong to. */
const API_LEVEL = 8;

export const MAX_PAGE = 1000;

/** Otterscan's methods, null for what does not exist. Those that search by address are missing. */
export const otterscanMethods: Methods = {
  ots_getApiLevel: () => API_LEVEL,
  ots_hasCode: async (context, params) => (await stateMethods.eth_getCode?.(context, params)) !== "0x",
  ots_getInternalOperations: ofTransaction((top) => (top.calls ?? []).flatMap(operationsOf)),
  ots_getTransactionError: ofTransaction(({ error, output }) => (error === undefined ? "0x" : (output ?? "0x"))),
  ots_traceTransaction: ofTransaction((top) => listCalls(top, 0)),
  ots_getTransactionBySenderAndNonce: async (context, params) => {
    expectAtMost(params, 2);
    const nonce = quantity(countParam(params, 1));
    const found = await transactionMethods.eth_getTransactionBySenderAndNonce?.(context, [params[0], nonce]);
    const { hash, blockHash } = (found ?? NOT_FOUND) as { readonly hash: Hex | null; readonly blockHash: Hex | null };
    return blockHash === null ? null : hash;
  },
  ots_getBlockDetails: ({ chain }, params) => {
    expectAtMost(params, 1);
    const id = blockNumberParam(params, 0);
    return presentDetails(isPending(id) ? undefined : minedBlock(chain, id));
  },
  ots_getBlockDetailsByHash: ({ chain }, params) => {
    expectAtMost(params, 1);
    return presentDetails(chain.blockOf(hashParam(params, 0)));
  },
  ots_getBlockTransactions: ({ chain }, params) => {
    expectAtMost(params, 3);
    const id = blockNumberParam(params, 0);
    const [page, size] = [countParam(params, 1), countParam(params, 2)];
    const block = isPending(id) ? undefined : minedBlock(chain, id);
    return block === undefined ? null : presentPage(block, page, Math.min(size, MAX_PAGE));
  },
};

const NOT_FOUND = { hash: null, blockHash: null };

/** Milliseconds. */
const TIMEOUT = 5000;

const NESTED: TraceConfig = {
  milliseconds: TIMEOUT,
  tracer: () => new CallTracer({ onlyTopCall: false, withLog: false }),
  wire: {},
};

function ofTransaction(present: (top: CallFrame) => unknown) {
  return async ({ chain }: Context, params: readonly unknown[]): Promise<unknown> => {
    expectAtMost(params, 1);
    const place = chain.transaction(hashParam(params, 0));
    if (place === undefined) return null;
    return present((await traceTransaction(chain, place.block, place.position, NESTED)) as CallFrame);
  };
}

const OPERATIONS: Readonly<Record<string, number>> = { CALL: 0, SELFDESTRUCT: 1, CREATE: 2, CREATE2: 3 };

/** Transfers of coins, self-destructions and creations that were not undone. */
function operationsOf({ type, from, to, value = "0x0", error, calls = [] }: CallFrame): object[] {
  if (error !== undefined) return [];
  const kind = OPERATIONS[type];
  const isOne = kind !== undefined && (type !== "CALL" || BigInt(value) > 0n);
  return [...(isOne ? [{ type: kind, from, to, value }] : []), ...calls.flatMap(operationsOf)];
}

interface ListedCall {
  readonly type: string;
  readonly depth: number;
  readonly from: Hex;
  readonly to: Hex | undefined;
  /** Null for calls that have none. */
  readonly value: Hex | null;
  readonly input: Hex;
  readonly output: Hex;
}

function listCalls(
  { type, from, to, value, input, output = "0x", calls = [] }: CallFrame,
  depth: number,
): ListedCall[] {
  const own = { type, depth, from, to, value: VALUELESS.has(type) ? null : (value ?? "0x0"), input, output };
  return [own, ...calls.flatMap((call) => listCalls(call, depth + 1))];
}

const VALUELESS: ReadonlySet<string> = new Set(["STATICCALL", "DELEGATECALL"]);

function presentDetails(block: MinedBlock | undefined): object | null {
  if (block === undefined) return null;
  const { transactions, ...header } = presentBlock(block, false);
  const fees = block.transactions.reduce((sum, tx, at) => sum + feeOf(tx, itemAt(block.receipts, at)), 0n);
  return {
    block: { ...header, transactionCount: quantity(block.transactions.length), logsBloom: null },
    issuance: NO_ISSUANCE,
    totalFees: `0x${fees.toString(16)}`,
  };
}

/** Blocks are not paid for. */
const NO_ISSUANCE = { blockReward: "0x0", uncleReward: "0x0", issuance: "0x0" };

/** The newest page is 0, and a page is in the order of the block. */
function presentPage(block: MinedBlock, page: number, size: number): object {
  const end = Math.max(block.transactions.length - page * size, 0);
  const start = Math.max(end - size, 0);
  const indexes = Array.from({ length: end - start }, (_, at) => start + at);
  const { transactions, ...header } = presentBlock(block, false);
  const shown = indexes.map((index) => {
    const tx = presentTransaction(block, index);
    return { ...tx, input: String(tx.input).slice(0, 10) };
  });
  return {
    fullblock: {
      ...header,
      transactionCount: quantity(block.transactions.length),
      transactions: shown,
      logsBloom: null,
    },
    receipts: indexes.map((index) => ({
      ...presentReceipt(block, index),
      logs: null,
      logsBloom: null,
      timestamp: quantity(block.header.timestamp),
    })),
  };
}

function countParam(params: readonly unknown[], argument: number): number {
  const value = required(params, argument);
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
    throw invalidArgument(argument, "a number is expected");
  }
  return value;
}
