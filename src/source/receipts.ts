import type { Wire } from "../chain/wire.ts";
import { readArray, readObject } from "../chain/wire.ts";
import type { Client, Question } from "./client.ts";
import { gist, isMissing, UpstreamError } from "./failure.ts";
import type { Operation } from "./retry.ts";

/** How a node gives receipts, from the surest way to the slowest. */
type Way = "hash" | "number" | "transaction";

const UNKNOWN_METHOD = /method.*not (found|supported|available|exist)|not supported|unsupported|does not exist/i;
const WRONG_PARAMETER = /invalid (argument|param|block|type)|unmarshal|64 bits|hex (number|string)|block number/i;

/** Reads the receipts of blocks in the best way the node has, and remembers which that is. */
export class ReceiptReader {
  readonly #client: Client;
  #way: Way = "hash";

  constructor(client: Client) {
    this.#client = client;
  }

  /** The receipts of each block; undefined where the node has none, null for a receipt it lacks. */
  async of(blocks: readonly Wire[], operation: Operation): Promise<(readonly unknown[] | undefined)[]> {
    for (;;) {
      const way = this.#way;
      try {
        return await this.#ask(way, blocks, operation);
      } catch (error) {
        const next = nextWay(way, error);
        if (next === undefined) throw error;
        if (this.#way === way) this.#way = next;
      }
    }
  }

  async #ask(way: Way, blocks: readonly Wire[], operation: Operation) {
    const filled = blocks.filter((block) => transactionsOf(block).length > 0);
    const lists =
      way === "transaction"
        ? await this.#byTransaction(filled, operation)
        : await this.#client.ask(
            filled.map((block) => receiptsOf(block[way])),
            operation,
          );
    const found = new Map(filled.map((block, index) => [block, lists[index]]));
    return blocks.map((block) => (found.has(block) ? found.get(block) : []));
  }

  async #byTransaction(blocks: readonly Wire[], operation: Operation): Promise<unknown[][]> {
    const hashes = blocks.flatMap((block) => transactionsOf(block).map((tx) => readObject(tx, "transaction").hash));
    const receipts = await this.#client.ask(hashes.map(receiptOf), operation);
    let at = 0;
    return blocks.map((block) => {
      const start = at;
      at += transactionsOf(block).length;
      return receipts.slice(start, at);
    });
  }
}

function receiptsOf(id: unknown): Question<readonly unknown[] | undefined> {
  return {
    method: "eth_getBlockReceipts",
    params: [id],
    read: (result) => (result === null ? undefined : readArray(result, "receipts")),
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
  const [code, message] = [error.rpc.code, gist(error.rpc)];
  if (code === -32601 || UNKNOWN_METHOD.test(message)) return "transaction";
  if (code !== -32602 && !WRONG_PARAMETER.test(message)) return undefined;
  return way === "hash" ? "number" : "transaction";
}

function transactionsOf(block: Wire): readonly unknown[] {
  return readArray(block.transactions, "block.transactions");
}
