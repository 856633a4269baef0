import type { Transaction } from "../../chain/block/transaction.ts";
import { decodeTransaction } from "../../chain/block/transaction.ts";
import { readNumber, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { ReadThrough } from "./readThrough.ts";

const KEPT = 1000;

/** Executable transactions of the node's pool. */
export class PendingTransactions {
  readonly #count: () => Promise<number | undefined>;
  readonly #list: () => Promise<readonly Transaction[] | undefined>;

  constructor(readThrough: ReadThrough) {
    this.#count = keptAnswer(async () => {
      const { pending } = readObject(await readThrough.poolStatus(), "txpool_status");
      return readNumber(pending, "txpool_status.pending");
    });
    this.#list = keptAnswer(async () => readPending(await readThrough.poolContent()));
  }

  /** Undefined if the node does not answer. */
  count(): Promise<number | undefined> {
    return this.#count();
  }

  /** By sender and nonce; undefined if the node does not answer. */
  list(): Promise<readonly Transaction[] | undefined> {
    return this.#list();
  }
}

/** Caches the answer briefly; undefined if the node does not answer. */
function keptAnswer<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let kept: { readonly answer: T | undefined; readonly until: number } | undefined;
  return async () => {
    const now = performance.now();
    if (kept === undefined || kept.until < now)
      kept = { answer: await ask().catch(absentOnFailure), until: now + KEPT };
    return kept.answer;
  };
}

function absentOnFailure(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}

function readPending(content: unknown): Transaction[] {
  const reader = new WireReader();
  const bySender = readObject(readObject(content, "txpool_content").pending, "txpool_content.pending");
  return Object.values(bySender).flatMap((sent) =>
    Object.entries(readObject(sent, "txpool_content.pending"))
      .sort(([one], [other]) => Number(one) - Number(other))
      .map(([, wire]) => decodeTransaction(readObject(wire, "txpool_content.pending"), reader)),
  );
}
