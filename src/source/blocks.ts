import type { Block } from "../chain/block/block.ts";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import type { Wire } from "../chain/encoding/wire.ts";
import { expectSame, invalid, readArray, readNumber, readObject } from "../chain/encoding/wire.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import { ROOTS_OF_NONE } from "../chain/hashing/trie.ts";
import { itemAt } from "../std/values.ts";
import { smoothed } from "./batchSizes.ts";
import { BlockAnswer, listOf, readHash } from "./blockAnswer.ts";
import type { Client, Question } from "./client.ts";
import type { BlockReceipts } from "./receipts.ts";
import { isTooLarge, ReceiptReader } from "./receipts.ts";
import type { Operation } from "./retry.ts";

/** Target size per call, which bounds the caller's memory by its concurrency. Only a single block may exceed it. */
const TARGET_BYTES = 2 << 20;
const UNKNOWN_BLOCK_BYTES = 1 << 17;
const EMPTY_ROOTS: ReadonlySet<string> = new Set(ROOTS_OF_NONE.map(toHex));

/** Reads blocks by number or hash, then the receipts of exactly those blocks. */
export class BlockReader {
  readonly #client: Client;
  readonly #receipts: ReceiptReader;
  readonly #confirmedRoots = new ConfirmedEmptyRoots();
  #blockBytes: number | undefined;

  constructor(client: Client) {
    this.#client = client;
    this.#receipts = new ReceiptReader(client);
  }

  async range(from: number, count: number, operation: Operation): Promise<Block[]> {
    const affordable = Math.floor(TARGET_BYTES / (this.#blockBytes ?? UNKNOWN_BLOCK_BYTES));
    const size = Math.min(count, Math.max(1, affordable));
    const numbers = Array.from({ length: size }, (_, index) => from + index);
    const blocks = await this.#complete(numbers.map(blockByNumber), operation);
    if (blocks.length > 0) this.#blockBytes = smoothed(this.#blockBytes, operation.bytes / blocks.length);
    return blocks;
  }

  async one(id: number | Bytes, operation: Operation): Promise<Block | undefined> {
    const question = typeof id === "number" ? blockByNumber(id) : blockByHash(id);
    const [block] = await this.#complete([question], operation);
    return block;
  }

  /** Restarts from the blocks if receipts do not match: the chain may have changed in between. */
  async #complete(questions: readonly Question<BlockAnswer | undefined>[], operation: Operation): Promise<Block[]> {
    for (;;) {
      try {
        const answers = await this.#client.ask(questions, operation, { atLeast: 1, bytes: TARGET_BYTES });
        const end = answers.indexOf(undefined);
        const found = (end < 0 ? answers : answers.slice(0, end)) as BlockAnswer[];
        return await this.#withReceipts(found, operation);
      } catch (error) {
        await operation.pause(error).catch((failure: unknown) => this.#confirmedRoots.add(failure));
      }
    }
  }

  async #withReceipts(answers: readonly BlockAnswer[], operation: Operation): Promise<Block[]> {
    try {
      return decodeBlocks(answers, await this.#receipts.of(answers, operation, TARGET_BYTES), this.#confirmedRoots);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      const first = answers.findIndex((answer) => !answer.isEmpty);
      return first === 0
        ? [await this.#receipts.oneByOne(itemAt(answers, 0), operation)]
        : await this.#withReceipts(answers.slice(0, first), operation);
    }
  }
}

/** Returns the blocks before the first that is not available. */
function decodeBlocks(
  answers: readonly BlockAnswer[],
  receipts: readonly BlockReceipts[],
  confirmedRoots: ConfirmedEmptyRoots,
): Block[] {
  const blocks: Block[] = [];
  for (const [index, list] of receipts.entries()) {
    try {
      blocks.push(decodeWhole(itemAt(answers, index), list, confirmedRoots));
    } catch (error) {
      if (blocks.length === 0) throw error;
      break;
    }
  }
  return blocks;
}

function decodeWhole(answer: BlockAnswer, receipts: BlockReceipts, confirmedRoots: ConfirmedEmptyRoots): Block {
  const { number } = answer;
  if (answer.isEmpty) confirmedRoots.expectEmpty(number, answer.wire);
  try {
    const block = answer.scan(receipts);
    if (block !== undefined) return block;
    const list = receipts && listOf(receipts);
    expectAll(list, readArray(answer.wire.transactions, "block.transactions").length, number);
    return answer.decode(list);
  } catch (error) {
    const { code, message } = asChainError(error);
    if (code === "upstream_unavailable") throw error;
    throw new ChainError(code, `block ${number}: ${message}`, { cause: error });
  }
}

function expectAll(
  receipts: readonly unknown[] | undefined,
  expected: number,
  number: number,
): asserts receipts is readonly unknown[] {
  if (receipts !== undefined && receipts.length >= expected && !receipts.includes(null)) return;
  const message = `the node has not all ${expected} receipts of block ${number} yet`;
  throw new ChainError("upstream_unavailable", message);
}

/** A chain has one non-standard root for empty blocks; more are evicted. */
const MAX_ROOTS = 64;

/**
 * Transactions roots for which the node repeatedly sent no transactions. The block is then accepted and left to the
 * integrity checks, unless it used gas.
 */
class ConfirmedEmptyRoots {
  readonly #roots = new Set<unknown>();

  add(failure: unknown): void {
    const isConfirmable = failure instanceof EmptiedBlock && !failure.usedGas && !this.#roots.has(failure.root);
    if (!isConfirmable) throw failure;
    if (this.#roots.size >= MAX_ROOTS) this.#roots.clear();
    this.#roots.add(failure.root);
  }

  expectEmpty(number: number, { transactionsRoot: root, gasUsed }: Wire): void {
    const isEmpty = EMPTY_ROOTS.has(String(root).toLowerCase()) || this.#roots.has(root);
    if (!isEmpty) throw new EmptiedBlock(number, root, readNumber(gasUsed, "block.gasUsed") > 0);
  }
}

/** A block without transactions whose header commits to some. */
class EmptiedBlock extends ChainError {
  readonly root: unknown;
  readonly usedGas: boolean;

  constructor(number: number, root: unknown, usedGas: boolean) {
    super("upstream_invalid", `block ${number}: transactionsRoot is ${root}, but the node sent no transactions`);
    this.root = root;
    this.usedGas = usedGas;
  }
}

function blockByNumber(number: number): Question<BlockAnswer | undefined> {
  return {
    method: "eth_getBlockByNumber",
    params: [quantity(number), true],
    asText: true,
    read: (result) => {
      if (result === null) return undefined;
      const answer = BlockAnswer.of(result);
      if (answer.number !== number) throw invalid("block.number", quantity(answer.number), quantity(number));
      return answer;
    },
  };
}

function blockByHash(hash: Hash): Question<BlockAnswer | undefined> {
  const text = toHex(hash);
  const read = (result: unknown) => {
    if (result === null) return undefined;
    const answer = BlockAnswer.of(result);
    expectSame(toHex(answer.hash), text, "block.hash");
    return answer;
  };
  return { method: "eth_getBlockByHash", params: [text, true], asText: true, read };
}

export function hashAt(number: number): Question<Hash | undefined> {
  return {
    method: "eth_getBlockByNumber",
    params: [quantity(number), false],
    read: (result) => {
      if (result === null) return undefined;
      const wire = readObject(result, "block");
      if (readNumber(wire.number, "block.number") !== number)
        throw invalid("block.number", wire.number, quantity(number));
      return readHash(wire.hash);
    },
  };
}
