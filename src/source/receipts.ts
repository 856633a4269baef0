import type { Block } from "../chain/block/block.ts";
import { BlockDecoder } from "../chain/block/block.ts";
import type { Receipt } from "../chain/block/receipt.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { readArray, readObject } from "../chain/encoding/wire.ts";
import { ChainError } from "../chain/error.ts";
import { itemAt } from "../std/values.ts";
import type { BlockAnswer } from "./blockAnswer.ts";
import type { Client, Question } from "./client.ts";
import { isMissing, shortMessage, UpstreamError } from "./failure.ts";
import { JsonText } from "./jsonText.ts";
import type { Operation } from "./retry.ts";

/** Receipt strategies, from safest to slowest. */
type Way = "hash" | "number" | "transaction";

const UNKNOWN_METHOD = /method.*not (found|supported|available|exist)|not supported|unsupported|does not exist/i;
const WRONG_PARAMETER = /invalid (argument|param|block|type)|unmarshal|64 bits|hex (number|string)|block number/i;

/** Larger blocks are fetched receipt by receipt. */
export const MAX_RECEIPTS_BYTES = 32 << 20;

/** Undefined if the block is unknown, null for a missing receipt. */
export type BlockReceipts = readonly unknown[] | JsonText | undefined;

/** Reads receipts by the best strategy the node supports, and remembers it. */
export class ReceiptReader {
  readonly #client: Client;
  #way: Way = "hash";

  constructor(client: Client) {
    this.#client = client;
  }

  /** Receipts of a prefix of the blocks: stops after `bytes`. */
  async of(blocks: readonly BlockAnswer[], operation: Operation, bytes: number): Promise<BlockReceipts[]> {
    for (;;) {
      const way = this.#way;
      try {
        return await this.#ask(way, blocks, operation, bytes);
      } catch (error) {
        const next = nextWay(way, error);
        if (next === undefined) throw error;
        if (this.#way === way) this.#way = next;
      }
    }
  }

  /** For a block whose receipts exceed one response. */
  async oneByOne(answer: BlockAnswer, operation: Operation): Promise<Block> {
    const decoder = new BlockDecoder(answer.wire);
    const questions = decoder.transactionHashes.map(
      (hash, index): Question<Receipt> => ({
        method: "eth_getTransactionReceipt",
        params: [hash],
        read: (result) => decoder.receipt(result ?? missingReceipt(hash), index),
      }),
    );
    return decoder.block(await this.#client.ask(questions, operation));
  }

  async #ask(way: Way, blocks: readonly BlockAnswer[], operation: Operation, bytes: number): Promise<BlockReceipts[]> {
    const filled = blocks.filter((block) => !block.isEmpty);
    const lists =
      way === "transaction"
        ? await this.#byTransaction(filled, operation, bytes)
        : await this.#client.ask(
            filled.map((block) => receiptsOf(way === "hash" ? toHex(block.hash) : quantity(block.number))),
            operation,
            { atLeast: 1, bytes },
          );
    const answered =
      lists.length === filled.length ? blocks : blocks.slice(0, blocks.indexOf(itemAt(filled, lists.length)));
    const found = new Map(lists.map((list, index) => [itemAt(filled, index), list]));
    return answered.map((block) => (found.has(block) ? found.get(block) : []));
  }

  async #byTransaction(blocks: readonly BlockAnswer[], operation: Operation, bytes: number): Promise<unknown[][]> {
    const transactions = blocks.map(({ wire }) => readArray(wire.transactions, "block.transactions"));
    const counts = transactions.map((list) => list.length);
    const hashes = transactions.flat().map((tx) => readObject(tx, "transaction").hash);
    const limits = { atLeast: counts[0] ?? 0, bytes };
    const receipts = await this.#client.ask(hashes.map(receiptOf), operation, limits);
    const lists: unknown[][] = [];
    let at = 0;
    for (const count of counts) {
      if (at + count > receipts.length) break;
      lists.push(receipts.slice(at, at + count));
      at += count;
    }
    return lists;
  }
}

/** Whether the size may be the cause: refused, timed out or cut off. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof UpstreamError && (error.code === "limit_exceeded" || error.shrink !== undefined);
}

function missingReceipt(hash: unknown): never {
  throw new ChainError("upstream_unavailable", `the node has no receipt of transaction ${hash} yet`);
}

function receiptsOf(id: string): Question<BlockReceipts> {
  return {
    method: "eth_getBlockReceipts",
    params: [id],
    maxBytes: MAX_RECEIPTS_BYTES,
    asText: true,
    read: (result) => {
      if (result === null) return undefined;
      return result instanceof JsonText ? result : readArray(result, "receipts");
    },
    recover: (error) => {
      if (error.rpc === undefined || !isMissing(error.rpc)) throw error;
      return undefined;
    },
  };
}

function receiptOf(hash: unknown): Question<unknown> {
  return { method: "eth_getTransactionReceipt", params: [hash], read: (result) => result };
}

function nextWay(way: Way, error: unknown): Way | undefined {
  if (way === "transaction" || !(error instanceof UpstreamError) || error.rpc === undefined) return undefined;
  if (error.code !== "upstream_rejected") return undefined;
  const [code, message] = [error.rpc.code, shortMessage(error.rpc)];
  if (code === -32601 || UNKNOWN_METHOD.test(message)) return "transaction";
  if (code !== -32602 && !WRONG_PARAMETER.test(message)) return undefined;
  return way === "hash" ? "number" : "transaction";
}
