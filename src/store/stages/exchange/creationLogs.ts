import { readAlgebraPool, readCustomPool } from "../../../chain/exchange/algebra.ts";
import type { CreatedPool } from "../../../chain/exchange/exchangeFields.ts";
import { readPairCreated, readPoolCreated } from "../../../chain/exchange/exchangeFields.ts";
import type { ExchangeLog } from "../../../chain/exchange/exchangeLog.ts";
import { readInitializeInfinity } from "../../../chain/exchange/infinity.ts";
import { readInitializeV4 } from "../../../chain/exchange/singleton.ts";
import { readSolidlyPair, readSolidlyPool } from "../../../chain/exchange/solidly.ts";

/** The pool that a log says was created; undefined for other logs. */
export function creationOf({ event, log }: Pick<ExchangeLog, "event" | "log">): CreatedPool | undefined {
  switch (event) {
    case "pairCreated":
      return readPairCreated(log);
    case "poolCreated":
      return readPoolCreated(log);
    case "initializeV4":
      return readInitializeV4(log);
    case "initializeInfinity":
      return readInitializeInfinity(log);
    case "algebraPool":
      return readAlgebraPool(log);
    case "customPool":
      return readCustomPool(log);
    case "solidlyPair":
      return readSolidlyPair(log);
    case "solidlyPool":
      return readSolidlyPool(log);
    default:
      return undefined;
  }
}
