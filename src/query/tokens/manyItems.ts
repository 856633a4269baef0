import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { AddressId, ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { typeOf } from "../../store/stages/tokens/tables/tokenState.ts";

/** Items of a token that are looked at for those that an address has, where it has very many in all. */
export const MAX_ITEMS_LOOKED_AT = 1000;

/** Tokens of an address that are looked through: each takes a contract, where an id takes a log. */
export const MAX_TOKENS_WALKED = 50_000;

const BATCH_SIZE = 1000;

/** A token that an address has items of. */
export interface HeldToken {
  readonly token: KnownToken;
  /** How many, by the transfers of the token: of an ERC-1155 also several of one id. */
  readonly amount: bigint;
}

/** The tokens with ids that an address has some of, by their ids, without a look at the items. */
export async function tokensWithItems(
  { tokens }: Pick<ReadSession, "tokens">,
  address: AddressId,
  most = MAX_TOKENS_WALKED,
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
    if (walked >= most)
      throw new ChainError("limit_exceeded", `over ${most} tokens of an address are not looked through`);
    after = last.token;
    await turn.yieldToEventLoop();
  }
}

/** The first items of a token that an address has, and how many ids it has: null where the token has too many to look at. */
export async function firstItemsOf(
  { tokens }: Pick<ReadSession, "tokens">,
  address: AddressId,
  { token, amount }: HeldToken,
): Promise<{ items: ItemId[]; count: number | null }> {
  const list = tokens.items.ofToken(token.id);
  const total = await list.count();
  const looked = await list.slice(0, Math.min(total, MAX_ITEMS_LOOKED_AT));
  const amounts = await tokens.itemBalances(looked.map((item) => [address, item] as const));
  const items = looked.filter((_, at) => (amounts[at] ?? 0n) > 0n);
  if (total <= MAX_ITEMS_LOOKED_AT) return { items, count: items.length };
  // Each id of an ERC-721 is one thing: their number is the balance.
  return { items, count: token.state.hasItems ? null : Number(amount) };
}
