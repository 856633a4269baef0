import { EXCHANGE } from "../store/exchange/exchangeStage.ts";
import type { StageFeed } from "../store/stage.ts";
import { feed } from "../store/stage.ts";
import { TOKENS } from "../store/tokens/tokenStage.ts";
import { exchangeEvents } from "./events/exchangeLogs.ts";
import { tokenEvents } from "./events/transfers.ts";

/** The stages of an index, and what reads their events from the logs of a block. */
export const STAGES: readonly StageFeed[] = [feed(TOKENS, tokenEvents), feed(EXCHANGE, exchangeEvents)];
