import type { Context } from "../context.ts";
import type { BlockId } from "../params/blockParams.ts";
import type { CallRequest } from "./callRequest.ts";
import { estimateGas } from "./estimateGas.ts";
import type { Overrides } from "./setting.ts";

/** Estimates that are under way at one time. */
interface Group {
  readonly requests: CallRequest[];
  running: number;
}

const groups = new WeakMap<Context, Group>();

/** Requests of a group that later ones are estimated after. */
const MAX_BEFORE = 32;

/**
 * Estimates the gas of a transaction for the next block. Whoever asks for several at one time sends several, and each
 * finds the state that those before it leave: the estimate is for that state if it is higher.
 */
export async function estimateTogether(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
): Promise<bigint> {
  const group = groups.get(context) ?? { requests: [], running: 0 };
  groups.set(context, group);
  const before = group.requests.slice(-MAX_BEFORE);
  group.requests.push(request);
  group.running++;
  try {
    const alone = await estimateGas(context, request, id, overrides);
    if (before.length === 0) return alone;
    const after = await estimateGas(context, request, id, overrides, before).catch(() => alone);
    return after > alone ? after : alone;
  } finally {
    if (--group.running === 0) groups.delete(context);
  }
}
