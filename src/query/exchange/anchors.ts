import { MAX_PRICED_DECIMALS, unitsOf } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { ListedToken } from "./listedPools.ts";
import { COIN } from "./listedPools.ts";
import type { PoolHistory } from "./poolHistory.ts";

export interface KnownAnchors {
  readonly stables: ReadonlyMap<number, bigint>;
  readonly native: { readonly token: number; readonly unit: bigint } | undefined;
}

/** The coin itself, where no pool has the wrapped one. */
function coinAnchor({ tokensByHex }: PoolHistory["listing"]): KnownAnchors["native"] {
  const coin = tokensByHex.get(COIN);
  const isAlone = coin !== undefined && coin.pricedAs === coin.number;
  return isAlone ? { token: coin.number, unit: SCALE / 10n ** 18n } : undefined;
}

/** Tokens without decimals are skipped. */
export async function readAnchors(
  session: ReadSession,
  { listing, balances }: Pick<PoolHistory, "listing" | "balances">,
  { stables, wrappedCoin }: ExchangeSettings,
): Promise<KnownAnchors> {
  const listed = [...stables, ...(wrappedCoin === undefined ? [] : [wrappedCoin])].flatMap((hex) => {
    const token = listing.tokensByHex.get(hex);
    const id = balances.ids.get(hex);
    return token === undefined || id === undefined ? [] : [{ token, id }];
  });
  const known = await session.tokens.byId(listed.map(({ id }) => id));
  const units = new Map(
    listed.flatMap(({ token, id }) => {
      const decimals = known.get(id)?.seen?.decimals ?? undefined;
      return decimals === undefined || decimals > MAX_PRICED_DECIMALS
        ? []
        : [[token.hex, SCALE / unitsOf(decimals)] as const];
    }),
  );
  const numberOf = (hex: ListedToken["hex"]) => listing.tokensByHex.get(hex)!.number;
  const unit = wrappedCoin === undefined ? undefined : units.get(wrappedCoin);
  const worth = stables.flatMap((hex) => (units.has(hex) ? [[numberOf(hex), units.get(hex)!] as const] : []));
  const native = unit === undefined ? coinAnchor(listing) : { token: numberOf(wrappedCoin!), unit };
  return { stables: new Map(worth), native: wrappedCoin === undefined ? undefined : native };
}
