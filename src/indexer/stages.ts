import { EXCHANGE } from "../store/stages/exchange/exchangeStage.ts";
import { NATIVE_BALANCES } from "../store/stages/native/nativeStage.ts";
import type { StageFeed } from "../store/stages/stage.ts";
import { feed } from "../store/stages/stage.ts";
import { TOKENS } from "../store/stages/tokens/tokenStage.ts";
import { TRACES } from "../store/stages/traces/traceStage.ts";
import { exchangeEvents } from "./events/exchangeLogs.ts";
import { tokenEvents } from "./events/transfers.ts";

/** Stages and the functions that extract their events from logs. */
export const STAGES: readonly StageFeed[] = [feed(TOKENS, tokenEvents), feed(EXCHANGE, exchangeEvents)];

/** Traces and balances are in no log; their audit recomputes from their own rows. */
export const AUDITED_STAGES: readonly StageFeed[] = [
  ...STAGES,
  feed(TRACES, () => ({ transactions: [] })),
  feed(NATIVE_BALANCES, () => ({ balances: [] })),
];
