import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { FoundLog } from "../../store/read/foundLog.ts";
import type { LogMatch, ScanPoint } from "../../store/read/logRows.ts";
import { LogRows, PART } from "../../store/read/logRows.ts";
import type { Candidates, LogCriteria } from "../../store/read/logSearch.ts";
import { planLogSearch } from "../../store/read/logSearch.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import type { TopicFilter } from "./topicFilter.ts";
import { TOPIC_NUMBERS } from "./topicFilter.ts";

export type BlockBound = number | "latest";

/** Inclusive block range; the page begins after `skip` matches. */
export interface LogQuery {
  readonly address?: Bytes | undefined;
  readonly topics?: TopicFilter | undefined;
  readonly fromBlock: BlockBound;
  readonly toBlock: BlockBound;
  readonly skip: number;
  readonly limit: number;
}

/** Data bytes per page. */
export const MAX_LOG_DATA = 32 << 20;

/** Logs scanned per page if no list matches exactly: of a list, and of whole blocks. */
export const MAX_SEARCHED = { listed: 200_000, scanned: 1 << 20 };

const LIMITS = { ...MAX_SEARCHED, data: MAX_LOG_DATA, part: PART };

export const LIST_BATCH_SIZE = 1000;

/** By address and topics, oldest first. */
export function findLogs(
  { store }: Pick<QueryContext, "store">,
  query: LogQuery,
  limits = LIMITS,
): Promise<FoundLog[]> {
  const toBlock = query.toBlock === "latest" ? Number.MAX_SAFE_INTEGER : query.toBlock;
  return readInParts(store, toBlock, (parts) => new LogSearch(query, limits).run(parts));
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly isFromFirst: boolean;
  readonly tip: Tip;
}

type ReadPart = (session: ReadSession) => Promise<boolean>;

class LogSearch {
  readonly #query: LogQuery;
  readonly #limits: typeof LIMITS;
  readonly #found: FoundLog[] = [];
  #matching = 0;
  #size = 0;

  constructor(query: LogQuery, limits: typeof LIMITS) {
    this.#query = query;
    this.#limits = limits;
  }

  async run(parts: ReadParts): Promise<FoundLog[]> {
    let { isDone, readPart } = await parts.read(async (session) => {
      const readPart = await this.#plan(session);
      return { isDone: await readPart(session), readPart };
    });
    while (!isDone) isDone = await parts.read(readPart);
    return this.#found;
  }

  async #plan(session: ReadSession): Promise<ReadPart> {
    const range = await readRange(session, this.#query);
    const plan = range && (await planLogSearch(session, criteriaOf(this.#query, range)));
    if (range === undefined || plan === undefined) return async () => true;
    const { match, candidates } = plan;
    const { skip, limit } = this.#query;
    if (candidates?.areExact) return this.#walk(candidates, [skip, Math.min(skip + limit, candidates.total)]);
    if (candidates !== undefined && candidates.total <= this.#limits.listed) {
      return this.#walk(candidates, [0, candidates.total], match);
    }
    const logs = await countLogs(session, range);
    if (logs <= this.#limits.scanned) return this.#scan(range, match);
    throw new ChainError("limit_exceeded", `${logs} logs would have to be searched; ask for fewer blocks`);
  }

  #walk(candidates: Candidates, [from, end]: readonly [number, number], match?: LogMatch): ReadPart {
    let at = from;
    return async (session) => {
      const positions = await candidates.positions(session, at, Math.min(LIST_BATCH_SIZE, end - at));
      at += await this.#read(session, match, (rows) => rows.take(positions));
      return at >= end || this.#left === 0;
    };
  }

  #scan({ from, to }: Range, match: LogMatch): ReadPart {
    let next: ScanPoint | undefined = { position: firstPosition(from), place: 0 };
    return async (session) => {
      next = next && (await this.#read(session, match, (rows) => rows.scan(next!, firstPosition(to + 1))));
      return next === undefined || this.#left === 0;
    };
  }

  get #left(): number {
    return this.#query.limit - this.#found.length;
  }

  async #read<T>(session: ReadSession, match: LogMatch | undefined, scan: (rows: LogRows) => Promise<T>): Promise<T> {
    const skip = match === undefined ? 0 : Math.max(this.#query.skip - this.#matching, 0);
    const rows = new LogRows(session, match, { skip, limit: this.#left }, this.#limits.part);
    const result = await scan(rows);
    this.#matching += rows.matching;
    for (const log of await rows.read()) {
      this.#size += log.data.end - log.data.start;
      this.#found.push(log);
    }
    if (this.#size > this.#limits.data) {
      throw new ChainError("limit_exceeded", `the logs have over ${this.#limits.data} bytes of data; ask for fewer`);
    }
    return result;
  }
}

/** Indexed part of the range; undefined if empty. */
async function readRange(session: ReadSession, { fromBlock, toBlock }: LogQuery): Promise<Range | undefined> {
  const [first, tip] = await Promise.all([session.blocks.first(), session.blocks.tip()]);
  if (first === undefined || tip === undefined) return undefined;
  const numberOf = (bound: BlockBound) => (bound === "latest" ? tip.number : bound);
  const from = Math.max(numberOf(fromBlock), first.header.number);
  const to = Math.min(numberOf(toBlock), tip.number);
  if (from > to) return undefined;
  return { from, to, isFromFirst: from === first.header.number, tip };
}

/** Only a search of whole blocks needs it. */
async function countLogs({ blocks }: ReadSession, { from, to, isFromFirst, tip }: Range): Promise<number> {
  const [last, totals] = await Promise.all([
    to === tip.number ? tip : blocks.tipAt(to),
    isFromFirst ? new Map() : blocks.totals([from - 1]),
  ]);
  return mustHave(last, `block ${to}`).totals.logs - (totals.get(from - 1)?.logs ?? 0);
}

function criteriaOf({ address, topics }: LogQuery, { from, to }: Range): LogCriteria {
  const wanted = TOPIC_NUMBERS.map((number) => topics?.topics.get(number));
  return { address, topics: wanted, accepts: (found) => topics?.accepts(found) ?? true, from, to };
}
