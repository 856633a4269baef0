import { AsyncLocalStorage } from "node:async_hooks";

/** On whose behalf something is done, and until when. */
export interface Caller {
  /** Aborted when the caller has left. */
  readonly signal?: AbortSignal | undefined;
  /** When all that was asked at once has to be done, by the clock of `performance.now()`. */
  readonly deadline: number;
  /** Whether the methods that are not for everyone are for it. */
  readonly isTrusted?: boolean;
  /** Whether it is hardhat, which expects an error for a transaction that fails as it is mined. */
  readonly isHardhat?: boolean;
}

const callers = new AsyncLocalStorage<Caller>();

/** Does something for a caller: whatever can take long asks for it with `currentCaller`. */
export function onBehalfOf<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
  return callers.run(caller, work);
}

export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

export function hasLeft(caller = currentCaller()): boolean {
  return caller?.signal?.aborted === true;
}
