import { EXCHANGE } from "./stages/exchange/exchangeStage.ts";
import { NATIVE_BALANCES } from "./stages/native/nativeStage.ts";
import type { Stage } from "./stages/stage.ts";
import { TOKENS } from "./stages/tokens/tokenStage.ts";
import { TRACES } from "./stages/traces/traceStage.ts";

/** All stages. A new one also needs an entry in `indexer/stages.ts`. */
export const STAGES: readonly Stage[] = [TOKENS, EXCHANGE, TRACES, NATIVE_BALANCES];
