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

/** More would take minutes. */
const MAX_DEPTH = 10_000;

/** Removes the newest blocks and their transactions. */
async function rollback(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 1);
  await takeBack(context, depthParam(context, params, "Rollback"));
  return null;
}

/** Replaces the newest blocks, with the given transactions per block. */
async function reorg(context: DevelopmentContext, params: Params): Promise<null> {
  expectAtMost(params, 2);
  const depth = depthParam(context, params, "Reorg");
  const given = readPlaced(isAbsent(params, 1) ? [] : params[1], depth);
  const replaced = await takeBack(context, depth);
  for (const [index, { header }] of replaced.entries()) {
    const transactions = await complete(context, given[index] ?? []);
    // Derived from the replaced block, so that the new one differs.
    const choices = { timestamp: header.timestamp, mixHash: keccak256(header.hash) };
    await context.miner.mineTransactions(transactions, choices);
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

/** Returns the removed blocks, oldest first. */
async function takeBack({ chain, pool, snapshots }: DevelopmentContext, depth: number): Promise<MinedBlock[]> {
  const common = chain.head.header.number - depth;
  const blocks = Array.from({ length: depth }, (_, index) => chain.expectBlock(common + 1 + index));
  snapshots.forgetAbove(common);
  await chain.rewind(common, { done: () => pool.replaceAll(pool.all()) });
  return blocks;
}

/** Pairs of a transaction and a block index from 0. */
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

/** A signed transaction, or a request of a known account. */
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

export const reorgMethods: DevelopmentMethods = {
  anvil_rollback: rollback,
  anvil_reorg: reorg,
};
