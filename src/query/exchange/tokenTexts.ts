import type { Hex } from "../../chain/encoding/hex.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeView } from "./exchangeView.ts";
import type { ListedToken } from "./listedPools.ts";

/** Symbol, name and address of the tokens of pools, in lower case. */
export interface TokenTexts {
  readonly lineage: object;
  readonly block: number;
  readonly byToken: ReadonlyMap<Hex, string>;
}

const BATCH_SIZE = 200;

/** Characters of a symbol or a name. */
const MAX_NAME = 64;

/** Reads only new and observed tokens. */
export async function moveTexts(
  session: ReadSession,
  { lineage, now, listing, balances }: ExchangeView,
  last: TokenTexts | undefined,
): Promise<TokenTexts> {
  const before = last?.lineage === lineage ? last : undefined;
  const asked = new Set(before === undefined ? [] : await session.tokens.observed(before.block, now.block));
  const idOf = ({ hex }: ListedToken) => balances.ids.get(hex) ?? -1;
  const missing = [...listing.tokensByNumber.values()].filter(
    (token) => before === undefined || !before.byToken.has(token.hex) || asked.has(idOf(token)),
  );
  const byToken = new Map(before?.byToken);
  const turn = new Turn();
  for (let at = 0; at < missing.length; at += BATCH_SIZE) {
    const some = missing.slice(at, at + BATCH_SIZE);
    const known = await session.tokens.byId(some.map(idOf).filter((id) => id >= 0));
    for (const token of some) {
      const seen = known.get(idOf(token))?.seen;
      const names = [seen?.symbol.text ?? token.reported?.symbol, seen?.name.text ?? token.reported?.name];
      const texts = [...names.map((name) => (name ?? "").slice(0, MAX_NAME)), token.hex];
      byToken.set(token.hex, texts.join(" ").toLowerCase());
    }
    await turn.yieldToEventLoop();
  }
  return { lineage, block: now.block, byToken };
}
