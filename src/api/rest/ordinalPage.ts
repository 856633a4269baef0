import type { OrdinalList } from "../../store/list.ts";
import { blockOf } from "../../store/position.ts";
import type { PageRequest } from "../params.ts";
import type { Placed, Window } from "./envelope.ts";
import { placePage } from "./envelope.ts";
import type { Reach } from "./reach.ts";

/** A page of a list by ordinal: its positions, newest first, and where it stands in the list. */
export async function readOrdinalPage(
  list: OrdinalList,
  reach: Reach | undefined,
  request: PageRequest,
): Promise<{ placed: Placed; positions: number[] }> {
  const window = placePage(request, await list.count());
  const positions = await list.slice(window.from, window.to);
  const placed = {
    request,
    window,
    anchor: request.anchor ?? { count: window.total, block: reach?.tip.number ?? 0 },
    block: reach === undefined ? null : await trueAt(list, reach.tip.number, request, window),
    since: reach?.first ?? null,
  };
  return { placed, positions: positions.reverse() };
}

/** The anchor's block, unless a reorg has put later blocks' entries below its top: then the list is the tip's. */
async function trueAt(list: OrdinalList, tip: number, request: PageRequest, window: Window): Promise<number> {
  const { anchor } = request;
  if (anchor === undefined || anchor.block >= tip) return tip;
  const [top] = await list.slice(window.total - 1, window.total);
  return top === undefined || blockOf(top) <= anchor.block ? anchor.block : tip;
}
