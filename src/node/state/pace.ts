import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { Caller } from "../caller.ts";
import { currentCaller, hasLeft } from "../caller.ts";

/** Milliseconds between yields. */
const TURN = 10;

/** Time limit of a bulk read in milliseconds. */
export const READ_TIME = 10_000;

/** Makes an execution yield every few milliseconds and stop at its deadline. */
export class Pace {
  readonly #milliseconds: number;
  readonly #deadline: number;
  readonly #caller: Caller | undefined;
  #turnEnds: number;
  #hasBegun = false;

  /**
   * Waits for a turn first: otherwise many concurrent executions would all be prepared in one round of the event loop.
   */
  static async begin(milliseconds: number): Promise<Pace> {
    const turn = takeTurn();
    if (turn !== undefined) await turn;
    const pace = new Pace(milliseconds);
    pace.#hasBegun = true;
    return pace;
  }

  constructor(milliseconds: number) {
    const now = performance.now();
    // Blocks are always completed.
    this.#caller = milliseconds === Number.POSITIVE_INFINITY ? undefined : currentCaller();
    this.#milliseconds = milliseconds;
    this.#deadline = Math.min(now + milliseconds, this.#caller?.deadline ?? Number.POSITIVE_INFINITY);
    this.#turnEnds = now + TURN;
  }

  /** Call before the first instruction of each run. Returns a promise if it has to yield. */
  begin(): Promise<void> | undefined {
    if (!this.isBounded) return undefined;
    if (this.#hasBegun) {
      this.#hasBegun = false;
      return undefined;
    }
    return hasTurn || waiting.length > 0 ? this.#yieldToEventLoop() : takeTurn();
  }

  /** Call often. Returns a promise if it has to yield. Throws after the deadline. */
  check(): Promise<void> | undefined {
    const now = performance.now();
    if (now < this.#turnEnds) return undefined;
    if (now >= this.#deadline) throw this.#timeout();
    if (hasLeft(this.#caller)) throw LEFT;
    return this.#yieldToEventLoop();
  }

  get isBounded(): boolean {
    return this.#deadline !== Number.POSITIVE_INFINITY;
  }

  async bound<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const left = this.#deadline - performance.now();
    const timer = this.isBounded ? setTimeout(() => ending.abort(this.#timeout()), Math.max(left, 0)) : undefined;
    const leave = () => ending.abort(LEFT);
    this.#caller?.signal?.addEventListener("abort", leave);
    try {
      return await work(ending.signal);
    } finally {
      clearTimeout(timer);
      this.#caller?.signal?.removeEventListener("abort", leave);
    }
  }

  #timeout(): RpcError {
    return new RpcError(RPC.server, `execution aborted (timeout = ${goDuration(this.#milliseconds)})`);
  }

  async #yieldToEventLoop(): Promise<void> {
    await nextTurn();
    const now = performance.now();
    if (now >= this.#deadline) throw this.#timeout();
    this.#turnEnds = now + TURN;
  }
}

/** Never delivered. */
const LEFT = new RpcError(RPC.server, "execution aborted (the caller has left)");

const waiting: (() => void)[] = [];

/** Whether an execution has started in this round of the event loop. */
let hasTurn = false;

function endTurn(): void {
  hasTurn = false;
}

/** A promise if another execution has the turn. */
function takeTurn(): Promise<void> | undefined {
  if (hasTurn || waiting.length > 0) return nextTurn();
  hasTurn = true;
  setImmediate(endTurn);
  return undefined;
}

/** At most one execution starts per round of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letNext);
  });
}

function letNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letNext);
}

/** Go duration: `5s`, `1m30s`, `250ms`. */
function goDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
