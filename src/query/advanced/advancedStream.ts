import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Position } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { SearchableList } from "../../store/tables/list.ts";
import { positionsAfter } from "../listWalk.ts";
import type { ReadParts } from "../readInParts.ts";
import { transfersOfAddress } from "../tokens/transfers.ts";
import type { AdvancedFilter } from "./advancedFilter.ts";
import { NATIVE, neededParties, wantsCoins, wantsTransfers } from "./advancedFilter.ts";
import type { AdvancedRow } from "./advancedRows.ts";
import { readCallRows, readTransactionRows, readTransferRows } from "./advancedRows.ts";

interface RowSource {
  next(session: ReadSession, below: Position, count: number): Promise<Position[]>;
  read(session: ReadSession, positions: readonly Position[]): Promise<AdvancedRow[]>;
}

const BATCH_SIZE = 200;

export class AdvancedStream {
  readonly #source: RowSource | undefined;
  readonly #floor: Position;
  readonly #rows: AdvancedRow[] = [];
  #read: Position;
  #isOver = false;
  below: Position;

  constructor(source: RowSource | undefined, below: Position, floor: Position) {
    this.#source = source;
    this.#floor = floor;
    this.#read = below;
    this.below = below;
    this.#isOver = source === undefined || below <= floor;
  }

  get head(): AdvancedRow | undefined {
    return this.#rows[0];
  }

  get isOver(): boolean {
    return this.#isOver && this.#rows.length === 0;
  }

  take(): void {
    const row = this.#rows.shift();
    if (row !== undefined) this.below = row.position;
  }

  async fill(parts: ReadParts): Promise<number> {
    const source = this.#source;
    if (source === undefined || this.#isOver || this.#rows.length > 0) return 0;
    return parts.read(async (session) => {
      const found = await source.next(session, this.#read, BATCH_SIZE);
      const positions = found.filter((position) => position >= this.#floor);
      this.#rows.push(...(await source.read(session, positions)));
      this.#read = positions.at(-1) ?? this.#read;
      this.#isOver = positions.length < BATCH_SIZE;
      return positions.length;
    });
  }
}

/** Undefined for kinds that cannot match. */
export function sourcesOf(filter: AdvancedFilter): readonly (RowSource | undefined)[] {
  const parties = neededParties(filter);
  const hasCoins = wantsCoins(filter);
  const hasCalls = hasCoins && filter.methods === undefined;
  return [
    hasCoins ? transactionSource(parties) : undefined,
    wantsTransfers(filter) ? transferSource(parties, filter) : undefined,
    hasCalls ? callSource(parties) : undefined,
  ];
}

function transactionSource(parties: readonly Bytes[] | undefined): RowSource {
  const all: RowSource["next"] = ({ transactions }, below, count) => transactions.below(below, count);
  const own = ofEach(parties, ({ addresses }, party) => addresses.transactionsOf(party));
  return { next: own ?? all, read: readTransactionRows };
}

function transferSource(parties: readonly Bytes[] | undefined, { includedTokens }: AdvancedFilter): RowSource {
  const all: RowSource["next"] = ({ tokens }, below, count) => tokens.transfers.below(below, count);
  const named = includedTokens?.addresses?.filter((one) => one !== NATIVE);
  const ofTokens = ofEach(named, ({ tokens }, token) => tokens.transfers.ofTokenAt(token));
  return { next: ofEach(parties, transfersOfAddress) ?? ofTokens ?? all, read: readTransferRows };
}

function callSource(parties: readonly Bytes[] | undefined): RowSource {
  const all: RowSource["next"] = ({ traces }, below, count) => positionsAfter(traces.all(), "desc", below, count);
  return { next: ofEach(parties, ({ traces }, party) => traces.ofAddress(party)) ?? all, read: readCallRows };
}

/** Merges the lists of several owners. */
function ofEach(
  owners: readonly Bytes[] | undefined,
  find: (session: ReadSession, owner: Bytes) => Promise<SearchableList>,
): RowSource["next"] | undefined {
  if (owners === undefined) return undefined;
  const distinct = new Map(owners.map((owner) => [toHex(owner), owner]));
  return async (session, below, count) => {
    const nexts = [...distinct.values()].map(async (owner) =>
      positionsAfter(await find(session, owner), "desc", below, count),
    );
    const positions = new Set((await Promise.all(nexts)).flat());
    return [...positions].sort((a, b) => b - a).slice(0, count);
  };
}
