import type { Store } from "../../store/store.ts";
import { placeOf } from "../../store/tokens/transferPlaces.ts";
import type { Reach } from "./reach.ts";
import { hasTokens } from "./tokenStage.ts";
import type { TransactionView } from "./views.ts";

/** The places of those of some transactions that moved tokens; undefined where the tokens stage is not as far. */
export async function readTransferring(
  store: Store,
  reach: Reach | undefined,
  views: readonly TransactionView[],
): Promise<ReadonlySet<number> | undefined> {
  if (!(await hasTokens(store, reach))) return undefined;
  const outcomes = views.flatMap(({ outcome }) => outcome ?? []);
  return store.tokens.transfers.among(outcomes.map(({ header, index }) => placeOf(header.number, index)));
}
