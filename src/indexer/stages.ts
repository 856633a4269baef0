import { EXCHANGE } from "../store/exchange/exchangeStage.ts";
import { NATIVE_BALANCES } from "../store/native/nativeStage.ts";
import type { StageFeed } from "../store/stage.ts";
import { feed } from "../store/stage.ts";
import { TOKENS } from "../store/tokens/tokenStage.ts";
import { TRACES } from "../store/traces/traceStage.ts";
import { exchangeEvents } from "./events/exchangeLogs.ts";
import { tokenEvents } from "./events/transfers.ts";

/** The stages of an index, and what reads their events from the logs of a block. */
export const STAGES: readonly StageFeed[] = [feed(TOKENS, tokenEvents), feed(EXCHANGE, exchangeEvents)];

/** All that is audited. What the node is asked for is in no log: traces and balances are recomputed from their own rows. */
export const AUDITED_STAGES: readonly StageFeed[] = [
  ...STAGES,
  feed(TRACES, () => ({ transactions: [] })),
  feed(NATIVE_BALANCES, () => ({ balances: [] })),
];
