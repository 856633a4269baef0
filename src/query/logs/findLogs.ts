import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/turn.ts";
import type { FoundLog, LogMatch } from "../../store/read/logRows.ts";
import { LogRows } from "../../store/read/logRows.ts";
import type { Candidates, LogCriteria } from "../../store/read/logSearch.ts";
import { planLogSearch } from "../../store/read/logSearch.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Store } from "../../store/store.ts";
import type { QueryContext } from "../context.ts";
import type { TopicFilter } from "./topicFilter.ts";
import { TOPIC_NUMBERS } from "./topicFilter.ts";

/** The number of a block, or the newest indexed one. */
export type BlockBound = number | "latest";

/** A page of logs. Blocks are both included; the page begins after `skip` matching logs. */
export interface LogQuery {
  readonly address?: Bytes | undefined;
  readonly topics?: TopicFilter | undefined;
  readonly fromBlock: BlockBound;
  readonly toBlock: BlockBound;
  readonly skip: number;
  readonly limit: number;
}

/** Bytes of data in one page. */
export const MOST_LOG_DATA = 32 << 20;

/** Logs that are looked at for one page where no list has just those that match: of a list, and of whole blocks. */
export const MOST_SEARCHED = { listed: 200_000, scanned: 1_000_000 };

/** Logs of a list that are looked at before others may read. */
const LISTED_AT_ONCE = 500;

/** How often a search begins again when a reorg replaces blocks under it. */
const ATTEMPTS = 3;

/** Logs by who emitted them and by their topics, oldest first. */
export async function findLogs({ store }: Pick<QueryContext, "store">, query: LogQuery): Promise<FoundLog[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await new LogSearch(store, query).run();
    if (found !== undefined) return found;
  }
  throw new ChainError("upstream_unavailable", "blocks were replaced while their logs were read");
}

/** Where the range of a search ends in the index, and how many logs it has. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly hash: Bytes;
  readonly logs: number;
}

/** One search. What takes long is read in parts, so that others may read in between; each part is of the same blocks. */
class LogSearch {
  readonly #store: Store;
  readonly #query: LogQuery;
  readonly #found: FoundLog[] = [];
  /** Reads of a part do not wait for anything: without it nobody else would have a turn. */
  readonly #turn = new Turn();
  #matching = 0;
  #size = 0;

  constructor(store: Store, query: LogQuery) {
    this.#store = store;
    this.#query = query;
  }

  /** Undefined where a reorg came between. */
  async run(): Promise<FoundLog[] | undefined> {
    const begun = await this.#store.read((session) => this.#begin(session));
    if (begun === undefined) return this.#found;
    const { range, match, candidates } = begun;
    const isSearchable = candidates !== undefined && candidates.total <= MOST_SEARCHED.listed;
    if (!isSearchable && range.logs > MOST_SEARCHED.scanned) {
      throw new ChainError("limit_exceeded", `${range.logs} logs would have to be searched; ask for fewer blocks`);
    }
    return isSearchable ? this.#searchList(range, match, candidates) : this.#scan(range, match);
  }

  /** Reads the page at once where a list has just the logs that match. */
  async #begin(session: ReadSession) {
    const range = await readRange(session, this.#query);
    if (range === undefined) return undefined;
    const plan = await planLogSearch(session, criteriaOf(this.#query, range));
    if (plan === undefined) return undefined;
    const { match, candidates } = plan;
    if (!candidates?.areExact) return { range, match, candidates };
    const { skip, limit } = this.#query;
    const rows = new LogRows(session.connection);
    await rows.take(await candidates.positions(session, skip, limit), undefined, 0, limit);
    await this.#keep(rows);
    return undefined;
  }

  async #searchList(range: Range, match: LogMatch, candidates: Candidates): Promise<FoundLog[] | undefined> {
    for (let at = 0; at < candidates.total && this.#left > 0; at += LISTED_AT_ONCE) {
      const isSame = await this.#readPart(range, async (session, rows) => {
        const positions = await candidates.positions(session, at, LISTED_AT_ONCE);
        this.#matching += await rows.take(positions, match, this.#toSkip, this.#left);
      });
      if (!isSame) return undefined;
    }
    return this.#found;
  }

  async #scan(range: Range, match: LogMatch): Promise<FoundLog[] | undefined> {
    let next: number | undefined = firstPosition(range.from);
    const end = firstPosition(range.to + 1);
    while (next !== undefined && this.#left > 0) {
      const from: number = next;
      const isSame = await this.#readPart(range, async (_, rows) => {
        const part = await rows.scan([from, end], match, this.#toSkip, this.#left);
        this.#matching += part.matching;
        next = part.next;
      });
      if (!isSame) return undefined;
    }
    return this.#found;
  }

  get #toSkip(): number {
    return Math.max(this.#query.skip - this.#matching, 0);
  }

  get #left(): number {
    return this.#query.limit - this.#found.length;
  }

  /** False where the range ends with another block than when the search began. */
  async #readPart({ to, hash }: Range, read: (session: ReadSession, rows: LogRows) => Promise<void>): Promise<boolean> {
    await this.#turn.giveWay();
    return this.#store.read(async (session) => {
      const last = await session.blocks.byNumber(to);
      if (last === undefined || !equalBytes(last.header.hash, hash)) return false;
      const rows = new LogRows(session.connection);
      await read(session, rows);
      await this.#keep(rows);
      return true;
    });
  }

  async #keep(rows: LogRows): Promise<void> {
    this.#size += rows.size;
    if (this.#size > MOST_LOG_DATA) {
      throw new ChainError("limit_exceeded", `the logs have over ${MOST_LOG_DATA} bytes of data; ask for fewer`);
    }
    this.#found.push(...(await rows.read()));
  }
}

/** The part of the range that is indexed; undefined where nothing of it is. */
async function readRange(session: ReadSession, { fromBlock, toBlock }: LogQuery): Promise<Range | undefined> {
  const [first, tip] = [await session.blocks.first(), await session.blocks.tip()];
  if (first === undefined || tip === undefined) return undefined;
  const numberOf = (bound: BlockBound) => (bound === "latest" ? tip.number : bound);
  const from = Math.max(numberOf(fromBlock), first.header.number);
  const to = Math.min(numberOf(toBlock), tip.number);
  const last = from > to ? undefined : await session.blocks.tipAt(to);
  if (last === undefined) return undefined;
  const before = (await session.blocks.totals([from - 1])).get(from - 1);
  return { from, to, hash: last.hash, logs: last.totals.logs - (before?.logs ?? 0) };
}

function criteriaOf({ address, topics }: LogQuery, { from, to }: Range): LogCriteria {
  const wanted = TOPIC_NUMBERS.map((number) => topics?.topics.get(number));
  return { address, topics: wanted, accepts: (found) => topics?.accepts(found) ?? true, from, to };
}
