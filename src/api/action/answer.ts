import { ChainError } from "../../chain/error.ts";
import { cacheable } from "../http/responseCache.ts";
import type { WrittenList } from "../http/stringify.ts";

/** Records, or what writes them. */
type Items<T> = readonly object[] | WrittenList<T>;

/** What every action answers (specification, section 2.3). */
export interface Answer {
  /** `2` for a list that is not whole yet. */
  readonly status: "1" | "0" | "2";
  readonly message: string;
  readonly result: unknown;
}

export function succeed<T>(result: T): Answer & { readonly result: T } {
  return { status: "1", message: "OK", result };
}

/** A list, or the words that clients know an empty one by. */
export function list<T>(items: Items<T>, ifEmpty: string): Answer {
  return items.length > 0 ? succeed(items) : { status: "0", message: ifEmpty, result: [] };
}

/** The same of what follows from the index alone, so that it is true until that changes. */
export function indexedList<T>(items: Items<T>, ifEmpty: string): Answer {
  return cacheable("index", list(items, ifEmpty));
}

/**
 * A request that an action refuses. Some clients read the reason from `message`, others from `result`, and none can do
 * with null.
 */
export class ActionError extends ChainError {
  /** 200 but where a client is to see that it asked for nothing that there is. */
  readonly httpStatus: number;

  constructor(message: string, httpStatus = 200) {
    super("invalid_argument", message);
    this.httpStatus = httpStatus;
  }
}

export function fail(message: string): Answer {
  return { status: "0", message, result: message };
}
