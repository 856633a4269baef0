import { ChainError } from "../chain/error.ts";
import type { ReadSession } from "../store/session.ts";
import type { Reach } from "./indexedRange.ts";
import { readReach } from "./indexedRange.ts";

/** The blocks the index holds, where the tokens stage has processed them too: a stage that is behind answers nothing. */
export async function readTokenReach(session: ReadSession): Promise<Reach | undefined> {
  const [reach, block] = [await readReach(session), await session.tokens.tip()];
  if (reach?.tip.number === block) return reach;
  const height = reach?.tip.number;
  throw new ChainError(
    "stage_behind",
    block === undefined
      ? `Tokens are not indexed yet, or left out by --no-tokens. The index is at block ${height}.`
      : `Tokens are indexed up to block ${block} of ${height}.`,
  );
}

/** For answers that are whole without tokens: whether the stage is where the index is. */
export async function hasTokens(session: ReadSession, reach: Reach | undefined): Promise<boolean> {
  return reach !== undefined && (await session.tokens.tip()) === reach.tip.number;
}
