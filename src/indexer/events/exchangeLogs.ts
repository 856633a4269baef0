import type { ExchangeLog } from "../../chain/exchange/exchangeLog.ts";
import { exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import type { LoggedBlock } from "../../store/read/blockLogs.ts";

/** Candidate pool events by form, in chain order. */
interface ExchangeEvents {
  readonly logs: readonly ExchangeLog[];
}

const NONE: ExchangeEvents = { logs: [] };

export function exchangeEvents({ receipts }: LoggedBlock): ExchangeEvents {
  let found: ExchangeLog[] | undefined;
  let logIndex = 0;
  for (let transactionIndex = 0; transactionIndex < receipts.length; transactionIndex++) {
    const { logs } = receipts[transactionIndex]!;
    for (let at = 0; at < logs.length; at++, logIndex++) {
      const log = logs[at]!;
      const event = exchangeEventOf(log);
      if (event === undefined) continue;
      found ??= [];
      found.push({ event, log, logIndex, transactionIndex });
    }
  }
  return found === undefined ? NONE : { logs: found };
}
