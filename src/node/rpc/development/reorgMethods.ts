import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { keccak256 } from "../../../chain/hashing/keccak.ts";
import type { MinedBlock } from "../../block/minedBlock.ts";
import { readCallRequest } from "../../call/callRequest.ts";
import type { DevelopmentContext } from "../../context.ts";
import { expectAtMost, invalidParams, isAbsent, readArray, readData } from "../../params/params.ts";
import type { SubmittedTransaction } from "../../pool/decodeRawTransaction.ts";
import { decodeRawTransaction } from "../../pool/decodeRawTransaction.ts";
import type { DevelopmentMethods } from "../methods.ts";
import { fillTransaction, signAs } from "../transactions/fillTransaction.ts";
import { numberParam } from "./numbers.ts";

type Params = readonly unknown[];

/** More would keep a client waiting for minutes. */
const MAX_DEPTH = 10_000;

/** Takes back the newest blocks. Their transactions are gone with them. */
async function rollback(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 1);
  await takeBack(context, depthParam(context, params, "Rollback"));
  return null;
}

/** Takes back the newest blocks and makes as many others in their place, of the transactions given for each. */
async function reorg(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 2);
  const depth = depthParam(context, params, "Reorg");
  const given = readPlaced(isAbsent(params, 1) ? [] : params[1], depth);
  const replaced = await takeBack(context, depth);
  for (const [index, { header }] of replaced.entries()) {
    const transactions = await complete(context, given[index] ?? []);
    // What follows from the block that was there makes this one another though nothing else may.
    const choices = { timestamp: header.timestamp, mixHash: keccak256(header.hash) };
    await context.miner.mineThese(transactions, choices);
  }
  return null;
}

function depthParam({ chain }: DevelopmentContext, params: Params, name: string): number {
  const depth = numberParam(params, 0, 1);
  const { number } = chain.head.header;
  if (depth > number) {
    const reason = `${name} depth must not exceed current chain height: current height ${number}, depth ${depth}`;
    throw invalidParams(reason);
  }
  if (depth > MAX_DEPTH) throw invalidParams(`${name} depth must not exceed ${MAX_DEPTH}`);
  return depth;
}

/** Answers the blocks that are no longer part of the chain, the oldest first. */
async function takeBack({ chain, pool, snapshots }: DevelopmentContext, depth: number): Promise<MinedBlock[]> {
  const common = chain.head.header.number - depth;
  const blocks = Array.from({ length: depth }, (_, index) => chain.expectBlock(common + 1 + index));
  snapshots.forgetAbove(common);
  await chain.rewind(common, { done: () => pool.replaceAll(pool.all()) });
  return blocks;
}

/** Transactions by the block that each is for, as pairs of a transaction and a number from 0 on. */
function readPlaced(value: unknown, depth: number): unknown[][] {
  const blocks: unknown[][] = [];
  for (const pair of readArray(value, { argument: 1 }, "[]interface {}")) {
    const [transaction, block] = readArray(pair, { argument: 1 }, "[]interface {}");
    const index = numberParam([block], 0);
    if (index >= depth) {
      throw invalidParams(
        `Block number for reorg tx will exceed the reorged chain height. Block number ${index} must not exceed (depth-1) ${depth - 1}`,
      );
    }
    blocks[index] ??= [];
    blocks[index].push(transaction);
  }
  return blocks;
}

/** A transaction is given signed, or as a request of an account that the node signs for. */
async function complete(context: DevelopmentContext, given: readonly unknown[]): Promise<SubmittedTransaction[]> {
  const { number, timestamp } = context.chain.head.header;
  const rules = context.chain.rules.at({ number: number + 1, timestamp });
  const sent = new Map<string, bigint>();
  const transactions: SubmittedTransaction[] = [];
  for (const one of given) {
    if (typeof one === "string") {
      transactions.push(decodeRawTransaction(readData(one, { argument: 1 }), rules, false));
      continue;
    }
    const request = readCallRequest(one, 1);
    const from: Bytes | undefined = request.from?.bytes;
    const name = from === undefined ? "" : toHex(from);
    const nonce = request.nonce ?? (from && (await context.pool.nextNonce(from)) + (sent.get(name) ?? 0n));
    const filled = await fillTransaction(context, { ...request, ...(nonce !== undefined && { nonce }) });
    sent.set(name, (sent.get(name) ?? 0n) + 1n);
    transactions.push(signAs(context, filled, request.from!.bytes));
  }
  return transactions;
}

/** Methods that replace blocks, as a reorg does. */
export const reorgMethods: DevelopmentMethods = {
  anvil_rollback: rollback,
  anvil_reorg: reorg,
};
