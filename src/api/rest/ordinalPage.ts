import type { OrdinalList } from "../../store/list.ts";
import { blockOf } from "../../store/position.ts";
import type { Anchor, PageRequest } from "../params.ts";
import type { Placed, Window } from "./envelope.ts";
import { placeForward, placePage } from "./envelope.ts";
import type { Reach } from "./reach.ts";

/** A page of a list by ordinal: its positions, newest first, and where it stands in the list. */
export async function readOrdinalPage(
  list: OrdinalList,
  reach: Reach | undefined,
  request: PageRequest,
): Promise<{ placed: Placed; positions: number[] }> {
  const window = placePage(request, await list.count());
  const positions = (await list.slice(window.from, window.to)).filter((position) => isBelow(position, request));
  const placed = {
    request,
    window,
    anchor: nextAnchor(request, window, positions[0], reach),
    block: reach === undefined ? null : await trueAt(list, reach.tip.number, request, window),
    since: reach?.first ?? null,
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
  reach: Reach | undefined,
): Anchor {
  const { count, block, last } = anchor ?? { count: total, block: reach?.tip.number ?? 0 };
  const position = lowest ?? last?.position;
  if (next === null || position === undefined) return { count, block };
  return { count, block, last: { passed: (next - 1) * pageSize, position } };
}

/** A page of what belongs to one transaction: its positions, oldest first. What belongs to it does not change. */
export async function readForwardPage(
  list: OrdinalList,
  reach: Reach | undefined,
  request: PageRequest,
): Promise<{ placed: Placed; positions: number[] }> {
  const placed = placeFixed(await list.count(), reach, request);
  return { placed, positions: await list.slice(placed.window.from, placed.window.to) };
}

export function placeFixed(count: number, reach: Reach | undefined, request: PageRequest): Placed {
  const block = reach?.tip.number ?? null;
  const anchor = request.anchor ?? { count, block: block ?? 0 };
  return { request, window: placeForward(request, count), anchor, block, since: reach?.first ?? null };
}

/** The anchor's block, unless a reorg has put later blocks' entries below its top: then the list is the tip's. */
async function trueAt(list: OrdinalList, tip: number, request: PageRequest, window: Window): Promise<number> {
  const { anchor } = request;
  if (anchor === undefined || anchor.block >= tip) return tip;
  const [top] = await list.slice(window.total - 1, window.total);
  return top === undefined || blockOf(top) <= anchor.block ? anchor.block : tip;
}
