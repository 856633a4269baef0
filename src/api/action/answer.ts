import { ChainError } from "../../chain/error.ts";
import { cacheable } from "../http/responseCache.ts";
import type { WrittenList } from "../http/stringify.ts";

type Items<T> = readonly object[] | WrittenList<T>;

export interface Answer {
  /** `2`: the list is incomplete. */
  readonly status: "1" | "0" | "2";
  readonly message: string;
  readonly result: unknown;
}

export function succeed<T>(result: T): Answer & { readonly result: T } {
  return { status: "1", message: "OK", result };
}

/** A list, or the message for an empty one. */
export function list<T>(items: Items<T>, ifEmpty: string): Answer {
  return items.length > 0 ? succeed(items) : { status: "0", message: ifEmpty, result: [] };
}

/** Like `list`, cacheable until the index changes. */
export function indexedList<T>(items: Items<T>, ifEmpty: string): Answer {
  return cacheable("index", list(items, ifEmpty));
}

/**
 * An error of the module/action API. Clients read the reason from either `message` or `result`.
 */
export class ActionError extends ChainError {
  /** 200, except where nothing of what was requested exists. */
  readonly httpStatus: number;

  constructor(message: string, httpStatus = 200) {
    super("invalid_argument", message);
    this.httpStatus = httpStatus;
  }
}

export function fail(message: string): Answer {
  return { status: "0", message, result: message };
}

/** The message clients know for an expensive query. */
export const TOO_MUCH = "Query Timeout occured. Please select a smaller result dataset";

/** Etherscan has the reason in `result` alone, and asks for a smaller range with null. */
export function inEtherscanForm(answer: object): object {
  const { status, result } = answer as Partial<Answer>;
  if (status !== "0" || typeof result !== "string") return answer;
  return result === TOO_MUCH ? { ...answer, result: null } : { ...answer, message: "NOTOK" };
}
