import { EXCHANGE } from "../store/exchange/exchangeStage.ts";
import type { StageFeed } from "../store/stage.ts";
import { feed } from "../store/stage.ts";
import { TOKENS } from "../store/tokens/tokenStage.ts";
import { TRACES } from "../store/traces/traceStage.ts";
import { exchangeEvents } from "./events/exchangeLogs.ts";
import { tokenEvents } from "./events/transfers.ts";

/** The stages of an index, and what reads their events from the logs of a block. */
export const STAGES: readonly StageFeed[] = [feed(TOKENS, tokenEvents), feed(EXCHANGE, exchangeEvents)];

/** All that is audited. What the node traces is in no log: the traces stage is recomputed from its own rows. */
export const AUDITED_STAGES: readonly StageFeed[] = [...STAGES, feed(TRACES, () => ({ transactions: [] }))];
