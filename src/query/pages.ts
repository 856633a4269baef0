import type { Header } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { IndexedRange } from "./indexedRange.ts";
import type { OrdinalList } from "../store/list.ts";
import { blockOf } from "../store/position.ts";
import type { Placed, Window } from "../api/rest/envelope.ts";
import { placeForward, placePage } from "../api/rest/envelope.ts";
import { notFound } from "../api/rest/errors.ts";
import type { ListCursor, PageRequest } from "../api/rest/params.ts";
import { writeListCursor } from "../api/rest/params.ts";

/** A page of a list by ordinal: its positions, newest first, and where it stands in the list. */
export async function readOrdinalPage(
  list: OrdinalList,
  range: IndexedRange | undefined,
  request: PageRequest,
): Promise<{ placed: Placed; positions: number[] }> {
  const window = placePage(request, await list.count());
  const positions = (await list.slice(window.from, window.to)).filter((position) => isBelow(position, request));
  const placed = {
    request,
    window,
    anchor: writeListCursor(nextAnchor(request, window, positions[0], range)),
    block: range === undefined ? null : await trueAt(list, range.tip.number, request, window),
    since: range?.first ?? null,
  };
  return { placed, positions: positions.reverse() };
}

/** A reorg may have put what is higher on the chain in the place of what comes after the last item. */
function isBelow(position: number, { anchor }: PageRequest): boolean {
  return anchor?.last === undefined || position < anchor.last.position;
}

function nextAnchor(
  { anchor, pageSize }: PageRequest,
  { total, next }: Window,
  lowest: number | undefined,
  range: IndexedRange | undefined,
): ListCursor {
  const { count, block, last } = anchor ?? { count: total, block: range?.tip.number ?? 0 };
  const position = lowest ?? last?.position;
  if (next === null || position === undefined) return { count, block };
  return { count, block, last: { passed: (next - 1) * pageSize, position } };
}

/** A page of what a transaction did in its block: its positions, oldest first. */
export async function readForwardPage(
  list: OrdinalList,
  range: IndexedRange | undefined,
  request: PageRequest<Bytes>,
  header: Header,
): Promise<{ placed: Placed; positions: number[] }> {
  const placed = placeInBlock(await list.count(), range, request, header);
  return { placed, positions: await list.slice(placed.window.from, placed.window.to) };
}

/** A walk is held to the block it began in, by its hash: in another one there may be something else. */
export function placeInBlock(
  count: number,
  range: IndexedRange | undefined,
  request: PageRequest<Bytes>,
  header: Header | undefined,
): Placed {
  const { anchor } = request;
  const isThere = anchor === undefined || (header !== undefined && equalBytes(anchor, header.hash));
  if (!isThere) throw notFound();
  return place(count, range, request, header === undefined ? "" : toHex(header.hash));
}

/** A page of what a transaction says itself, in whatever block. */
export function placeFixed(count: number, range: IndexedRange | undefined, request: PageRequest): Placed {
  return place(count, range, request, writeListCursor(request.anchor ?? { count, block: range?.tip.number ?? 0 }));
}

function place(count: number, range: IndexedRange | undefined, request: PageRequest<unknown>, anchor: string): Placed {
  const [block, since] = [range?.tip.number ?? null, range?.first ?? null];
  return { request, window: placeForward(request, count), anchor, block, since };
}

/** The anchor's block, unless a reorg has put later blocks' entries below its top: then the list is the tip's. */
async function trueAt(list: OrdinalList, tip: number, request: PageRequest, window: Window): Promise<number> {
  const { anchor } = request;
  if (anchor === undefined || anchor.block >= tip) return tip;
  const [top] = await list.slice(window.total - 1, window.total);
  return top === undefined || blockOf(top) <= anchor.block ? anchor.block : tip;
}
