import { quantity } from "../../chain/encoding/hex.ts";
import type { QueryContext } from "../../query/context.ts";
import { knownHeight, readIndexedRange } from "../../query/indexedRange.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseNumber } from "./parse.ts";

/** The newest indexed block, in the envelope and as JSON-RPC answers it in one (specification, section 4.2). */
export async function ethBlockNumber({ store }: QueryContext, parameters: Parameters): Promise<Answer> {
  const tip = await store.read((session) => session.blocks.tip());
  return { jsonrpc: "2.0", id: parameters.get("id") ?? 1, ...succeed(quantity(tip?.number ?? 0)) } as Answer;
}

/** The last block before a time, or the first after it. */
export async function getblocknobytime({ store }: QueryContext, parameters: Parameters): Promise<Answer> {
  const [text, closest] = [parameters.get("timestamp"), parameters.get("closest")];
  if (text === undefined) throw new ActionError("Query parameter 'timestamp' is required");
  if (closest === undefined) throw new ActionError("Query parameter 'closest' is required");
  const time = parseNumber(text);
  if (time === undefined) throw new ActionError("Invalid `timestamp` param");
  if (closest !== "before" && closest !== "after") throw new ActionError("Invalid `closest` param");
  const number = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return undefined;
    const end = range.tip.number + 1;
    const [after = end] = await session.blocks.firstAfterEach(
      [closest === "before" ? time : time - 1],
      range.first,
      end,
    );
    const found = closest === "before" ? after - 1 : after;
    return found >= range.first && found < end ? found : undefined;
  });
  if (number === undefined) throw new ActionError("Block does not exist");
  return succeed({ blockNumber: String(number) });
}

/** How far a block is away, and when it will be made. */
export async function getblockcountdown(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const text = parameters.get("blockno");
  if (text === undefined) throw new ActionError("Query parameter 'blockno' is required");
  const wanted = parseNumber(text);
  if (wanted === undefined) throw new ActionError("Invalid block number");
  const figures = await context.stats.figures();
  const range = await context.store.read(readIndexedRange);
  const height = knownHeight(context, range);
  const remaining = wanted - height;
  if (remaining <= 0) throw new ActionError("Error! Block number already pass");
  return succeed({
    CurrentBlock: String(height),
    CountdownBlock: String(wanted),
    RemainingBlock: String(remaining),
    EstimateTimeInSec: ((remaining * (figures?.blockTime ?? 0)) / 1000).toFixed(1),
  });
}
