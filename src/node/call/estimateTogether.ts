import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { max } from "../../std/numbers.ts";
import { currentCaller } from "../caller.ts";
import type { Context } from "../context.ts";
import type { BlockId } from "../params/blockParams.ts";
import type { CallRequest } from "./callRequest.ts";
import { estimateGas } from "./estimateGas.ts";
import type { Overrides } from "./setting.ts";

interface Expected {
  readonly request: CallRequest;
  readonly sender: string;
  readonly nonce: bigint;
}

/** Concurrent estimates that are expected to be sent. */
interface Group {
  expected: Expected[];
  running: number;
  end?: NodeJS.Timeout;
}

const groups = new WeakMap<Context, Group>();

const MAX_BEFORE = 32;

/** Milliseconds within which hardhat, which sends what it estimates, requests another of the group. */
const PAUSE = 100;

/**
 * Estimates gas in the next block. A client that estimates several transactions at once sends several, so each is
 * estimated on top of the previous ones, and the higher estimate wins.
 */
export async function estimateTogether(
  context: Context,
  request: CallRequest,
  id: BlockId,
  overrides: Overrides,
): Promise<bigint> {
  const group = groups.get(context) ?? { expected: [], running: 0 };
  groups.set(context, group);
  clearTimeout(group.end);
  group.running++;
  try {
    const before = join(context, group, request);
    const alone = await estimateGas(context, request, id, overrides);
    if (before.length === 0) return alone;
    const after = await estimateGas(context, request, id, overrides, before).catch(() => alone);
    return max(alone, after);
  } finally {
    group.running--;
    leave(context, group);
  }
}

/** Returns the earlier requests that were not sent yet. */
function join(context: Context, group: Group, request: CallRequest): CallRequest[] {
  const unsent = group.expected.filter((each) => each.nonce >= nonceOf(context, each.request));
  const sender = request.from === undefined ? "" : toHex(request.from.bytes);
  const last = unsent.findLast((each) => each.sender === sender);
  const nonce = last === undefined ? nonceOf(context, request) : last.nonce + 1n;
  group.expected = [...unsent.slice(-MAX_BEFORE), { request, sender, nonce }];
  return unsent.slice(-MAX_BEFORE).map((each) => each.request);
}

const NOBODY: Bytes = new Uint8Array(20);

function nonceOf({ chain }: Context, { from }: CallRequest): bigint {
  const name = Buffer.from(from?.bytes ?? NOBODY).toString("hex");
  return chain.stateAfter(chain.head).accountAt(name)?.nonce ?? 0n;
}

function leave(context: Context, group: Group): void {
  if (group.running > 0) return;
  const end = () => {
    if (groups.get(context) === group) groups.delete(context);
  };
  if (currentCaller()?.isHardhat === true) group.end = setTimeout(end, PAUSE).unref();
  else end();
}
