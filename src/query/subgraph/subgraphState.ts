import { ChainError } from "../../chain/error.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { SubgraphKind, SubgraphMarket } from "./subgraphMarket.ts";
import { marketOf } from "./subgraphMarket.ts";

/** One state of the index, as a subgraph has it. */
export interface SubgraphState {
  readonly kind: SubgraphKind;
  readonly session: ReadSession;
  readonly view: ExchangeView;
  readonly range: IndexedRange;
  readonly tip: Tip;
  readonly market: SubgraphMarket;
}

export function readSubgraph<T>(
  { exchange }: QueryContext,
  kind: SubgraphKind,
  work: (state: SubgraphState) => Promise<T>,
): Promise<T> {
  return exchange.read(async (session, view) => {
    const { range } = view;
    if (range === undefined) throw new ChainError("stage_behind", "No block is indexed yet.");
    const market = await marketOf(view, kind, exchange.settings);
    return work({ kind, session, view, range, tip: range.tip, market });
  });
}
