import { setImmediate } from "node:timers/promises";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StoreReader } from "../../store/storeReader.ts";

/** Blocks per cached sum. */
const RUN = 256;

interface Run {
  /** Hash of the last block, which identifies all before it. */
  readonly hash: Bytes;
  readonly fees: bigint;
}

/** Cached fee sums over fixed runs of blocks. */
export class FeeSums {
  readonly #store: StoreReader;
  readonly #runs = new Map<number, Run>();

  constructor(store: StoreReader) {
    this.#store = store;
  }

  /** Computes missing sums one at a time, yielding to other reads. */
  async prepare(from: number, to: number): Promise<void> {
    for (const start of this.#runs.keys()) if (start + RUN <= from) this.#runs.delete(start);
    for (let start = firstRun(from); start + RUN - 1 <= to; start += RUN) {
      if (this.#runs.has(start)) continue;
      await this.#store.read((session) => this.#run(session, start));
      await setImmediate();
    }
  }

  /** The blocks must be indexed. */
  async sum(session: ReadSession, from: number, to: number): Promise<bigint> {
    let fees = 0n;
    for (let at = from; at <= to; ) {
      const isRun = at % RUN === 0 && at + RUN - 1 <= to;
      const end = isRun ? at + RUN - 1 : Math.min(to, firstRun(at + 1) - 1);
      fees += isRun ? await this.#run(session, at) : await session.blocks.fees(at, end);
      at = end + 1;
    }
    return fees;
  }

  async #run(session: ReadSession, start: number): Promise<bigint> {
    const last = await session.blocks.byNumber(start + RUN - 1);
    if (last === undefined) return 0n;
    const known = this.#runs.get(start);
    if (known !== undefined && equalBytes(known.hash, last.header.hash)) return known.fees;
    const fees = await session.blocks.fees(start, start + RUN - 1);
    this.#runs.set(start, { hash: last.header.hash, fees });
    return fees;
  }
}

function firstRun(block: number): number {
  return Math.ceil(block / RUN) * RUN;
}
