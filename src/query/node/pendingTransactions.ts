import type { Transaction } from "../../chain/block/transaction.ts";
import { decodeTransaction } from "../../chain/block/transaction.ts";
import { readNumber, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { ReadThrough } from "./readThrough.ts";

/** Milliseconds for which an answer counts, a refusal too. */
const KEPT = 1000;

/** The transactions that wait in the node's pool to be mined: those that could be in the next block. */
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

  /** Undefined where the node does not say. */
  count(): Promise<number | undefined> {
    return this.#count();
  }

  /** By sender and nonce; undefined where the node does not say. */
  list(): Promise<readonly Transaction[] | undefined> {
    return this.#list();
  }
}

/** Asks at most once in a while; undefined where the node does not answer. */
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
