import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { AddressId, ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { typeOf } from "../../store/stages/tokens/tables/tokenState.ts";

/** Items scanned for an address that holds very many. */
export const MAX_SCANNED_ITEMS = 1000;

/** Tokens scanned per address: a token costs a contract, an id only a log. */
export const MAX_SCANNED_TOKENS = 50_000;

const BATCH_SIZE = 1000;

interface HeldToken {
  readonly token: KnownToken;
  readonly amount: bigint;
}

/** Without reading items. */
export async function tokensWithItems(
  { tokens }: Pick<ReadSession, "tokens">,
  address: AddressId,
  max = MAX_SCANNED_TOKENS,
): Promise<HeldToken[]> {
  const found: HeldToken[] = [];
  const turn = new Turn();
  for (let [after, walked] = [0, 0]; ; ) {
    const held = await tokens.held(address, after, BATCH_SIZE);
    const known = await tokens.byId(held.filter(({ amount }) => amount > 0n).map(({ token }) => token));
    for (const { token: id, amount } of held) {
      const token = known.get(id);
      if (token !== undefined && typeOf(token.state) !== "ERC-20") found.push({ token, amount });
    }
    walked += held.length;
    const last = held.at(-1);
    if (last === undefined || held.length < BATCH_SIZE) return found;
    if (walked >= max)
      throw new ChainError("limit_exceeded", `over ${max} tokens of an address are not looked through`);
    after = last.token;
    await turn.yieldToEventLoop();
  }
}

/** First items and the number of ids; null if there are too many to scan. */
export async function firstItemsOf(
  { tokens }: Pick<ReadSession, "tokens">,
  address: AddressId,
  { token, amount }: HeldToken,
): Promise<{ items: ItemId[]; count: number | null }> {
  const list = tokens.items.ofToken(token.id);
  const total = await list.count();
  const scanned = await list.slice(0, Math.min(total, MAX_SCANNED_ITEMS));
  const amounts = await tokens.itemBalances(scanned.map((item) => [address, item] as const));
  const items = scanned.filter((_, at) => (amounts[at] ?? 0n) > 0n);
  if (total <= MAX_SCANNED_ITEMS) return { items, count: items.length };
  // For ERC-721 the balance is the number of ids.
  return { items, count: token.state.hasItems ? null : Number(amount) };
}
