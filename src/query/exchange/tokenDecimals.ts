import type { ReadSession } from "../../store/session.ts";
import type { ListedToken } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";

/** By token number: null where a token does not say, missing where it is still to be asked. */
export async function readDecimals(
  session: ReadSession,
  tokens: readonly ListedToken[],
  ids: PoolBalances["ids"],
): Promise<Map<number, number | null>> {
  const known = await session.tokens.byId([...new Set(tokens.flatMap(({ hex }) => ids.get(hex) ?? []))]);
  const decimalsOf = ({ hex, reported }: ListedToken) => {
    const seen = known.get(ids.get(hex) ?? -1)?.seen;
    const decimals = seen?.decimals ?? reported?.decimals;
    return decimals === null && (seen?.failures ?? 0) > 0 ? undefined : decimals;
  };
  const asked = tokens.map((token) => [token.number, decimalsOf(token)] as const);
  return new Map(asked.filter((one): one is [number, number | null] => one[1] !== undefined));
}
