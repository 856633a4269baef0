import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { Position } from "../../store/rows/position.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { Method } from "../decode/method.ts";
import { listedInput, methodOf } from "../decode/method.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { MAX_SCANNED } from "../listWalk.ts";
import type { MergeCursor, PageRequest, WalkInfo } from "../pages.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { TokenItem } from "../tokens/items.ts";
import { MovedTokens } from "../tokens/movedTokens.ts";
import type { AdvancedFilter } from "./advancedFilter.ts";
import { NATIVE, rowTest } from "./advancedFilter.ts";
import type { AdvancedRow, RowKey } from "./advancedRows.ts";
import { addressesOf, compareKeys, compareRows, keyOf } from "./advancedRows.ts";
import { AdvancedStream, sourcesOf } from "./advancedStream.ts";

export interface AdvancedItem extends AdvancedRow {
  readonly method: Method | undefined;
  readonly item: TokenItem | undefined;
}

export interface AdvancedPage {
  readonly items: readonly AdvancedItem[];
  readonly addresses: AddressInfos;
  readonly methods: ReadonlyMap<string, string | undefined>;
  readonly tokens: readonly KnownToken[];
  /** Last traced block; null if there are none. */
  readonly traced: number | null;
  readonly info: WalkInfo<MergeCursor>;
}

/** Matches of the three lists, merged newest first. */
export async function listAdvanced(
  context: QueryContext,
  filter: AdvancedFilter,
  request: PageRequest<MergeCursor>,
  max = MAX_SCANNED,
): Promise<AdvancedPage> {
  const page = await readInParts(context.store, Number.MAX_SAFE_INTEGER, async (parts) => {
    const bounds = await parts.read((session) => readBounds(session, filter));
    const { rows, cursor } = await walk(parts, filter, request, bounds, max);
    return parts.read(async (session) => {
      const [moved, tokens] = await Promise.all([readMoved(context, session, rows), tokensOf(session, filter)]);
      const owners = [...moved.values()].flatMap(({ owner }) => owner ?? []);
      const addresses = await session.addresses.infos([...addressesOf(rows), ...owners]);
      return { rows, moved, addresses, tokens, traced: bounds.traced, info: infoOf(request, bounds.range, cursor) };
    });
  });
  const { rows, moved, ...rest } = page;
  const selectors = filter.methods ?? [];
  const names = await context.decoder.listedNames([
    ...rows.map(({ mined, call }) => (call === undefined ? listedInput(mined.transaction) : NO_INPUT)),
    ...selectors.map((selector) => ({ selector })),
  ]);
  const items = rows.map((row, at) => ({
    ...row,
    method: methodIn(row, page.addresses, names[at]),
    item: row.transfer && moved.get(row.transfer.item),
  }));
  const methods = new Map(selectors.map((selector, at) => [toHex(selector), names[rows.length + at]]));
  return { ...rest, items, methods };
}

async function readMoved({ metadata }: QueryContext, session: ReadSession, rows: readonly AdvancedRow[]) {
  const transfers = rows.flatMap(({ transfer }) => transfer ?? []);
  const moved = new MovedTokens(session);
  await moved.read(transfers);
  return moved.items(transfers, metadata);
}

const NO_INPUT = { selector: new Uint8Array(4) };

function methodIn({ mined, call }: AdvancedRow, addresses: AddressInfos, name: string | undefined): Method | undefined {
  return call === undefined ? methodOf(mined.transaction, addresses, name) : undefined;
}

interface Bounds {
  readonly range: IndexedRange | undefined;
  readonly traced: number | null;
  readonly floor: Position;
  /** Upper bounds: of transactions and transfers, and of internal transactions. */
  readonly top: Position;
  readonly tracedTop: Position;
}

/** Refuses if the tokens stage is behind. */
async function readBounds(session: ReadSession, { fromTime, toTime }: AdvancedFilter): Promise<Bounds> {
  const [range, traces] = await Promise.all([readTokenRange(session), session.traces.tip()]);
  const traced = traces?.number ?? null;
  if (range === undefined) return { range, traced, floor: 0, top: 0, tracedTop: 0 };
  const end = range.tip.number + 1;
  const times = [(fromTime ?? 0) - 1, toTime ?? Number.MAX_SAFE_INTEGER];
  const isBounded = fromTime !== undefined || toTime !== undefined;
  const [first = range.first, after = end] = isBounded
    ? await session.blocks.firstAfterEach(times, range.first, end)
    : [];
  const top = firstPosition(after);
  const tracedTop = traced === null ? 0 : Math.min(top, firstPosition(traced + 1));
  return { range, traced, floor: firstPosition(first), top, tracedTop };
}

interface Walked {
  readonly rows: readonly AdvancedRow[];
  readonly cursor: MergeCursor | undefined;
}

async function walk(
  parts: ReadParts,
  filter: AdvancedFilter,
  { pageSize, cursor }: PageRequest<MergeCursor>,
  { floor, top, tracedTop }: Bounds,
  max: number,
): Promise<Walked> {
  const tops = [top, top, tracedTop].map((one, at) => Math.min(one, cursor?.below[at] ?? one));
  const streams = sourcesOf(filter).map((source, at) => new AdvancedStream(source, tops[at] ?? 0, floor));
  const isWanted = rowTest(filter);
  const rows: AdvancedRow[] = [];
  let scanned = 0;
  let last: RowKey = cursor?.last ?? [Number.MAX_SAFE_INTEGER, 0, 0];
  while (rows.length < pageSize) {
    const empty = streams.filter(({ head, isOver }) => head === undefined && !isOver);
    if (empty.length > 0 && scanned >= max) break;
    for (const filled of await Promise.all(empty.map((stream) => stream.fill(parts)))) scanned += filled;
    const next = newestOf(streams);
    if (next?.head === undefined) return { rows, cursor: undefined };
    const row = next.head;
    next.take();
    // A reorg may have moved newer rows below the cursor.
    if (cursor !== undefined && compareKeys(cursor.last, keyOf(row)) > 0) continue;
    last = keyOf(row);
    if (isWanted(row)) rows.push(row);
  }
  return { rows, cursor: streams.every(({ isOver }) => isOver) ? undefined : cursorOf(streams, last) };
}

function newestOf(streams: readonly AdvancedStream[]): AdvancedStream | undefined {
  const ready = streams.filter(({ head }) => head !== undefined);
  return ready.reduce<AdvancedStream | undefined>(
    (best, each) => (best?.head === undefined || compareRows(each.head!, best.head) < 0 ? each : best),
    undefined,
  );
}

/** Rows added above the last row later, such as newly traced calls, are not part of this walk. */
function cursorOf(streams: readonly AdvancedStream[], last: RowKey): MergeCursor {
  const top = firstPosition(last[0] + 1);
  return { below: streams.map(({ below }) => Math.min(below, top)), last };
}

async function tokensOf(
  session: ReadSession,
  { includedTokens, excludedTokens }: AdvancedFilter,
): Promise<KnownToken[]> {
  const named = [...(includedTokens?.addresses ?? []), ...(excludedTokens?.addresses ?? [])];
  const distinct = new Map(named.filter((one): one is Bytes => one !== NATIVE).map((one) => [toHex(one), one]));
  const ids = await session.addresses.ids([...distinct.values()]);
  const tokens = await session.tokens.byId([...ids.values()]);
  return [...distinct.values()].flatMap((address) => tokens.get(ids.get(address) ?? 0) ?? []);
}

function infoOf(
  { page, pageSize }: PageRequest<MergeCursor>,
  range: IndexedRange | undefined,
  cursor: MergeCursor | undefined,
): WalkInfo<MergeCursor> {
  return {
    page,
    pageSize,
    total: null,
    next: cursor === undefined ? null : { page: page + 1, cursor },
    block: range?.tip.number ?? null,
    since: range?.first ?? null,
  };
}
