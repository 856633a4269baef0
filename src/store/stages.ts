import { EXCHANGE } from "./exchange/exchangeStage.ts";
import { NATIVE_BALANCES } from "./native/nativeStage.ts";
import type { Stage } from "./stage.ts";
import { TOKENS } from "./tokens/tokenStage.ts";
import { TRACES } from "./traces/traceStage.ts";

/** The stages that an index may have. A new one is an entry here, and one in `indexer/stages.ts`. */
export const STAGES: readonly Stage[] = [TOKENS, EXCHANGE, TRACES, NATIVE_BALANCES];
