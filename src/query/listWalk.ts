import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Position } from "../store/rows/position.ts";
import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { SearchableList } from "../store/tables/list.ts";
import { readIndexedRange } from "./indexedRange.ts";
import type { PageRequest, WalkCursor, WalkInfo } from "./pages.ts";
import { readInParts } from "./readInParts.ts";

export type Order = "desc" | "asc";

export interface ListWalk {
  next(session: ReadSession, after: Position | undefined, count: number): Promise<readonly Position[]>;
  select(session: ReadSession, positions: readonly Position[]): Promise<readonly Position[]>;
  /** Set if the whole list is within one block. */
  readonly block?: Bytes | undefined;
}

interface WalkedPage<T> {
  readonly found: T;
  readonly info: WalkInfo;
}

/** Items scanned per page. A page that reaches the limit may be short and still have a successor. */
export const MAX_SCANNED = 10_000;

const BATCH_SIZE = 200;

/** A page of matches, without a total. */
export function walkPage<T>(
  store: StoreReader,
  walk: ListWalk,
  { page, pageSize, cursor }: PageRequest<WalkCursor>,
  read: (session: ReadSession, positions: readonly Position[]) => Promise<T>,
  max = MAX_SCANNED,
): Promise<WalkedPage<T>> {
  return readInParts(store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const positions: Position[] = [];
    let [after, passed, isOver] = [cursor?.after, 0, false];
    while (positions.length < pageSize && passed < max && !isOver) {
      await parts.read(async (session) => {
        const next = await walk.next(session, after, BATCH_SIZE);
        const wanted = await walk.select(session, next);
        const taken = wanted.slice(0, pageSize - positions.length);
        positions.push(...taken);
        passed += next.length;
        isOver = next.length < BATCH_SIZE && taken.length === wanted.length;
        after = (positions.length < pageSize ? next.at(-1) : taken.at(-1)) ?? after;
      });
    }
    return parts.read(async (session) => {
      const range = await readIndexedRange(session);
      return {
        found: await read(session, positions),
        info: {
          page,
          pageSize,
          total: null,
          next: isOver || after === undefined ? null : { page: page + 1, cursor: { after, block: walk.block } },
          block: range?.tip.number ?? null,
          since: range?.first ?? null,
        },
      };
    });
  });
}

export async function positionsAfter(
  list: SearchableList,
  order: Order,
  after: Position | undefined,
  count: number,
): Promise<Position[]> {
  if (order === "asc") {
    const [start = 0] = after === undefined ? [] : await list.ordinalsOf([after + 1]);
    return list.slice(start, start + count);
  }
  const [end = 0] = after === undefined ? [await list.count()] : await list.ordinalsOf([after]);
  return (await list.slice(Math.max(end - count, 0), end)).reverse();
}

/** A block with another hash may have other contents. */
export async function expectSameBlock({ blocks }: ReadSession, number: number, hash: Bytes): Promise<void> {
  const now = await blocks.tipAt(number);
  if (now === undefined || !equalBytes(now.hash, hash)) {
    throw new ChainError("not_found", "the block that the walk began in is gone");
  }
}
