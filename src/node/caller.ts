import { AsyncLocalStorage } from "node:async_hooks";

export interface Caller {
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline of the whole request, on the `performance.now()` clock. */
  readonly deadline: number;
  readonly isTrusted?: boolean;
  /** Hardhat expects an error for a transaction that fails when mined. */
  readonly isHardhat?: boolean;
}

const callers = new AsyncLocalStorage<Caller>();

/** Sets the caller for `currentCaller` in async context. */
export function onBehalfOf<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

export function hasLeft(caller: Caller | undefined): boolean {
  return caller?.signal?.aborted === true;
}
