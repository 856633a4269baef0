import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { Position } from "../../store/rows/position.ts";
import type { EventKind, EventRequest, SubgraphEvent } from "./subgraphEvents.ts";
import { EVENT_KINDS, eventOf, listEvents } from "./subgraphEvents.ts";
import type { SubgraphState } from "./subgraphState.ts";

/** A transaction with all events of pools in it. */
export interface SubgraphTransaction {
  readonly mined: MinedTransaction;
  readonly events: readonly SubgraphEvent[];
  /** Of which an event's index among those of its kind is a part of its id. */
  readonly indexes: ReadonlyMap<Position, number>;
  readonly logs: readonly MinedLog[];
}

/** Logs of transactions that one request reads. */
export const MAX_LOGS = 20_000;

/** By position of a log in each. */
export async function readTransactions(
  state: SubgraphState,
  positions: readonly Position[],
): Promise<Map<Position, SubgraphTransaction>> {
  const nearest = await state.session.transactions.nearest(positions);
  const transactions = new Map([...nearest.values()].map((mined) => [mined.position, mined]));
  const read = await readEach(state, [...transactions.values()]);
  return new Map(positions.map((position) => [position, read.get(nearest.get(position)!.position)!]));
}

async function readEach(
  state: SubgraphState,
  transactions: readonly MinedTransaction[],
): Promise<Map<Position, SubgraphTransaction>> {
  const positions = transactions.flatMap(({ position, logs }) =>
    Array.from({ length: Math.min(logs.count, MAX_LOGS + 1) }, (_, at) => position + 1 + at),
  );
  if (positions.length > MAX_LOGS) throw tooMany();
  const logs = await state.session.logs.at(positions);
  if (logs.some(({ data }) => data === null)) throw tooMany();
  let from = 0;
  return new Map(
    transactions.map((mined) => {
      const own = logs.slice(from, from + mined.logs.count);
      from += mined.logs.count;
      const events = own.flatMap((log, at) => eventOf(state, log, mined.position + 1 + at) ?? []);
      return [mined.position, { mined, events, indexes: indexesOf(events), logs: own }];
    }),
  );
}

const tooMany = () =>
  new ChainError("limit_exceeded", `more than ${MAX_LOGS} logs of transactions would be read; ask for fewer at once`);

function indexesOf(events: readonly SubgraphEvent[]): Map<Position, number> {
  const counts = new Map<EventKind, number>();
  return new Map(
    events.map(({ position, change: { type } }) => {
      const index = counts.get(type) ?? 0;
      counts.set(type, index + 1);
      return [position, index];
    }),
  );
}

/** Undefined unless a pool has an event in it. */
export async function findTransaction(state: SubgraphState, hash: Bytes): Promise<SubgraphTransaction | undefined> {
  const mined = await state.session.transactions.byHash(hash);
  if (mined === undefined || mined.logs.count === 0) return undefined;
  const found = (await readEach(state, [mined])).get(mined.position);
  return found?.events.length ? found : undefined;
}

type TransactionRequest = Omit<EventRequest, "kinds" | "pools">;

/** Of the first of its events each, which are looked at twice as many at a time. */
export async function listTransactions(
  state: SubgraphState,
  { first, skip, ...request }: TransactionRequest,
): Promise<readonly SubgraphEvent[]> {
  const end = skip + first;
  for (let count = 2 * end; ; count *= 2) {
    const all = { ...request, kinds: EVENT_KINDS, pools: undefined, skip: 0, first: count };
    const events = await listEvents(state, all);
    const firsts = new Map<string, SubgraphEvent>();
    for (const event of events) {
      const { header, transactionHash } = event.log;
      const key = `${header.number} ${Buffer.from(transactionHash).toString("hex")}`;
      if (!firsts.has(key)) firsts.set(key, event);
    }
    if (firsts.size >= end || events.length < count) return [...firsts.values()].slice(skip, end);
  }
}
