import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { ChainError } from "../chain/error.ts";
import { RPC, RpcError } from "../jsonrpc/rpcError.ts";
import type { LogCriteria } from "../node/logs/logFilter.ts";
import { LogFilter } from "../node/logs/logFilter.ts";
import { findLogs } from "../query/logs/findLogs.ts";
import type { TopicNumber } from "../query/logs/topicFilter.ts";
import { TOPIC_NUMBERS, TopicFilter } from "../query/logs/topicFilter.ts";
import type { FoundLog } from "../store/read/foundLog.ts";
import { logOf } from "../store/read/foundLog.ts";
import type { StoreReader } from "../store/storeReader.ts";

export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

export const SEARCH_TIME = 10_000;

/** With more values than this, block blooms are scanned instead of lists. */
const MAX_LISTS = 16;

/** Blooms read between yields. */
const BLOCK_BATCH_SIZE = 250;

const ATTEMPTS = 3;

/**
 * Finds logs by geth's criteria, in order. Stops at `limit` + 1, which signals too many. All logs are from one branch:
 * the search restarts after a reorg.
 */
export async function findRangeLogs(
  store: StoreReader,
  criteria: LogCriteria,
  range: BlockRange,
  limit: number,
): Promise<FoundLog[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await hashAt(store, range.to);
    const found = await new RangeSearch(store, criteria, limit).run(range);
    const after = await hashAt(store, range.to);
    if (before !== undefined && after !== undefined && equalBytes(before, after)) return found;
  }
  throw new ChainError("upstream_unavailable", "blocks were replaced while they were read");
}

function hashAt(store: StoreReader, number: number): Promise<Bytes | undefined> {
  return store.read(async ({ blocks }) => (await blocks.tipAt(number))?.hash);
}

class RangeSearch {
  readonly #store: StoreReader;
  readonly #criteria: LogCriteria;
  readonly #filter: LogFilter;
  readonly #limit: number;
  readonly #found: FoundLog[] = [];
  readonly #deadline = performance.now() + SEARCH_TIME;

  constructor(store: StoreReader, criteria: LogCriteria, limit: number) {
    this.#store = store;
    this.#criteria = criteria;
    this.#filter = new LogFilter(criteria);
    this.#limit = limit;
  }

  async run(range: BlockRange): Promise<FoundLog[]> {
    const addresses = distinct(this.#criteria.addresses);
    const signatures = distinct(this.#criteria.topics[0] ?? []);
    if (addresses.length > 0 && addresses.length <= MAX_LISTS) {
      for (const address of addresses) await this.#collect(range, address);
    } else if (addresses.length === 0 && signatures.length > 0 && signatures.length <= MAX_LISTS) {
      for (const signature of signatures) await this.#collect(range, undefined, signature);
    } else {
      for (const run of await this.#runs(range)) await this.#collect(run);
    }
    return this.#found.sort(
      (one, other) => one.context.block.number - other.context.block.number || one.logIndex - other.logIndex,
    );
  }

  get #isFull(): boolean {
    return this.#found.length > this.#limit;
  }

  #expectTime(): void {
    if (performance.now() < this.#deadline) return;
    throw new RpcError(RPC.server, `execution aborted (timeout = ${SEARCH_TIME / 1000}s)`);
  }

  /** Lists narrow the search; the filter decides. */
  async #collect({ from, to }: BlockRange, address?: Bytes, signature?: Bytes): Promise<void> {
    const topics = new TopicFilter(this.#singleTopics(signature), []);
    const limit = this.#limit + 1;
    for (let skip = 0; !this.#isFull; skip += limit) {
      this.#expectTime();
      const query = { address, topics, fromBlock: from, toBlock: to, skip, limit };
      const logs = await findLogs({ store: this.#store }, query);
      for (const log of logs) if (!this.#isFull && this.#filter.matches(logOf(log))) this.#found.push(log);
      if (logs.length < limit) return;
    }
  }

  #singleTopics(signature: Bytes | undefined): Map<TopicNumber, Bytes> {
    const single = new Map<TopicNumber, Bytes>();
    for (const number of TOPIC_NUMBERS) {
      const [value, ...others] = distinct(this.#criteria.topics[number] ?? []);
      if (value !== undefined && others.length === 0) single.set(number, value);
    }
    if (signature !== undefined) single.set(0, signature);
    return single;
  }

  /** Ranges of blocks whose bloom may match. An empty bloom is ignored if the block has logs. */
  async #runs({ from, to }: BlockRange): Promise<BlockRange[]> {
    const runs: { from: number; to: number }[] = [];
    for (let next = from; next <= to; next += BLOCK_BATCH_SIZE) {
      this.#expectTime();
      const count = Math.min(BLOCK_BATCH_SIZE, to - next + 1);
      const blocks = await this.#store.read((session) => session.blocks.range(next, count));
      for (const { header, sums } of blocks) {
        const isBlank = sums.logs > 0 && header.logsBloom.every((byte) => byte === 0);
        if (sums.logs === 0 || !(isBlank || this.#filter.mayMatch(header.logsBloom))) continue;
        const last = runs.at(-1);
        if (last !== undefined && last.to === header.number - 1) last.to = header.number;
        else runs.push({ from: header.number, to: header.number });
      }
    }
    return runs;
  }
}

function distinct(values: readonly Bytes[]): Bytes[] {
  return [...new Map(values.map((value) => [toHex(value), value])).values()];
}
