import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { Turn } from "../std/async.ts";
import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";

const ATTEMPTS = 3;

/**
 * A long read up to `toBlock` in several sessions, so that other reads are served in between. All parts see the same
 * blocks; a reorg restarts it.
 */
export async function readInParts<T>(
  store: StoreReader,
  toBlock: number,
  work: (parts: ReadParts) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await work(new ReadParts(store, toBlock));
    } catch (error) {
      if (!(error instanceof BlocksReplaced)) throw error;
    }
  }
  throw new ChainError("upstream_unavailable", "blocks were replaced while they were read");
}

class BlocksReplaced extends Error {}

/** Parts of one read. Results stay valid in later parts, except rows above `toBlock`. */
export class ReadParts {
  readonly #store: StoreReader;
  readonly #toBlock: number;
  readonly #turn = new Turn();
  #newest: { readonly number: number; readonly hash: Bytes } | undefined;

  constructor(store: StoreReader, toBlock: number) {
    this.#store = store;
    this.#toBlock = toBlock;
  }

  async read<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    await this.#turn.yieldToEventLoop();
    return this.#store.read(async (session) => {
      await this.#expectSameBlocks(session);
      return work(session);
    });
  }

  /** An unchanged hash means unchanged ancestors. */
  async #expectSameBlocks({ blocks }: ReadSession): Promise<void> {
    if (this.#newest === undefined) {
      const tip = await blocks.tip();
      const isTip = tip === undefined || tip.number <= this.#toBlock;
      this.#newest = isTip ? tip : await blocks.tipAt(this.#toBlock);
      return;
    }
    const { number, hash } = this.#newest;
    const now = await blocks.tipAt(number);
    if (now === undefined || !equalBytes(now.hash, hash)) throw new BlocksReplaced();
  }
}
