import { randomBytes } from "node:crypto";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex, uintToHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { BoundedMap } from "../../std/maps.ts";
import { defined } from "../../std/values.ts";
import type { Chain } from "../chain.ts";
import { LogFilter } from "./logFilter.ts";
import type { LogQuery } from "./logQuery.ts";
import { heightOf } from "./logRange.ts";
import { logsOf, MAX_LOGS } from "./searchLogs.ts";

/** Milliseconds until an unused filter expires. The least recently used is evicted when there are too many. */
const IDLE = 5 * 60_000;
/** Blocks scanned per poll; the rest follows with the next. */
export const MAX_POLLED_BLOCKS = 10_000;
export const MAX_FILTERS = 1000;
export const MAX_FILTER_VALUES = 100_000;

/** Reported blocks remembered per filter, for reorgs. */
const REMEMBERED = 128;
const MAX_HASHES = 10_000;

interface Reported {
  readonly number: number;
  readonly hash: Bytes;
  readonly logs: readonly Wire[];
}

interface Filter {
  readonly query: LogQuery | undefined;
  readonly kind: "logs" | "blocks" | "transactions";
  usedAt: number;
  next: number;
  readonly reported: Reported[];
  arrivals: number;
}

export class Filters {
  readonly #chain: Chain;
  readonly #now: () => number;
  readonly #filters = new BoundedMap<string, Filter>({
    maxEntries: MAX_FILTERS,
    maxSize: MAX_FILTER_VALUES,
    sizeOf: ({ query }) => (query === undefined ? 0 : query.addresses.length + query.topics.flat().length),
  });
  readonly #hashes: Hex[] = [];
  #arrivals = 0;

  constructor(chain: Chain, now: () => number = Date.now) {
    this.#chain = chain;
    this.#now = now;
  }

  onTransaction(hash: Bytes): void {
    this.#arrivals++;
    this.#hashes.push(toHex(hash));
    if (this.#hashes.length > MAX_HASHES) this.#hashes.shift();
  }

  add(kind: Filter["kind"], query?: LogQuery): string {
    this.#sweep();
    const id = uintToHex(Buffer.concat([Buffer.from([1 + Math.floor(Math.random() * 255)]), randomBytes(15)]));
    const { header } = this.#chain.head;
    const reported = [{ number: header.number, hash: header.hash, logs: [] }];
    const next = header.number + 1;
    this.#filters.set(id, { query, kind, usedAt: this.#now(), next, reported, arrivals: this.#arrivals });
    return id;
  }

  remove(id: string): boolean {
    return this.#filters.delete(id);
  }

  queryOf(id: string): LogQuery | undefined {
    return this.#use(id)?.query;
  }

  /** Undefined if there is no such filter. */
  changes(id: string): unknown[] | undefined {
    const filter = this.#use(id);
    if (filter === undefined) return undefined;
    if (filter.kind === "transactions") return this.#newTransactions(filter);
    const removed = this.#takeBack(filter);
    return filter.kind === "logs" ? [...removed, ...this.#newLogs(filter)] : this.#newBlocks(filter);
  }

  #newTransactions(filter: Filter): Hex[] {
    const count = Math.min(this.#arrivals - filter.arrivals, this.#hashes.length);
    filter.arrivals = this.#arrivals;
    return count === 0 ? [] : this.#hashes.slice(-count);
  }

  /** Returns to the last canonical block; logs after it are reported as removed. */
  #takeBack(filter: Filter): Wire[] {
    const { reported } = filter;
    const removed: Wire[] = [];
    for (let last = reported.at(-1); last !== undefined; last = reported.at(-1)) {
      const hash = this.#chain.database.hashOf(last.number);
      if (hash !== undefined && equalBytes(hash, last.hash)) break;
      removed.push(...last.logs.map((log) => ({ ...log, removed: true })));
      reported.pop();
      filter.next = Math.min(
        last.number,
        this.#chain.head.header.number + 1,
        (reported.at(-1)?.number ?? last.number) + 1,
      );
    }
    return removed;
  }

  #newBlocks(filter: Filter): Hex[] {
    const hashes: Hex[] = [];
    for (; filter.next <= this.#chain.head.header.number && hashes.length < MAX_HASHES; filter.next++) {
      const hash = defined(this.#chain.database.hashOf(filter.next));
      hashes.push(toHex(hash));
      remember(filter, { number: filter.next, hash, logs: [] });
    }
    return hashes;
  }

  /** Stops once there is much to report; the rest follows with the next poll. */
  #newLogs(filter: Filter): Wire[] {
    const query = defined(filter.query);
    const logFilter = new LogFilter(query);
    const { from, to } = this.#boundsOf(query);
    const last = Math.min(this.#chain.head.header.number, filter.next + MAX_POLLED_BLOCKS - 1);
    const logs: Wire[] = [];
    for (const { number, bloom } of this.#chain.database.blooms(filter.next, last)) {
      const isMatch = number >= from && number <= to && logFilter.mayMatch(bloom);
      const matching = isMatch ? logsOf(defined(this.#chain.logged(number)), logFilter) : [];
      logs.push(...matching);
      filter.next = number + 1;
      if (number > last - REMEMBERED || matching.length > 0) {
        remember(filter, { number, hash: defined(this.#chain.database.hashOf(number)), logs: matching });
      }
      if (logs.length >= MAX_LOGS) break;
    }
    return logs;
  }

  /** Tags do not bound a filter. */
  #boundsOf({ from, to }: LogQuery): { from: number; to: number } {
    return {
      from: from !== undefined && "number" in from ? from.number : 0,
      to: to !== undefined && "number" in to ? heightOf(this.#chain, to) : Number.POSITIVE_INFINITY,
    };
  }

  /** Moves the filter to the end of the LRU order. */
  #use(id: string): Filter | undefined {
    this.#sweep();
    const filter = this.#filters.get(id);
    if (filter === undefined) return undefined;
    filter.usedAt = this.#now();
    this.#filters.delete(id);
    this.#filters.set(id, filter);
    return filter;
  }

  #sweep(): void {
    const oldest = this.#now() - IDLE;
    for (const [id, { usedAt }] of this.#filters.entries()) {
      if (usedAt > oldest) break;
      this.#filters.delete(id);
    }
  }
}

function remember(filter: Filter, reported: Reported): void {
  filter.reported.push(reported);
  if (filter.reported.length > REMEMBERED) filter.reported.shift();
}
