import { RPC, RpcError } from "../../jsonrpc/rpcError.ts";
import type { Caller } from "../caller.ts";
import { currentCaller, hasLeft } from "../caller.ts";

/** How long one execution may hold the thread before others have their turn, in milliseconds. */
const TURN = 10;

/** How long a read of many things may take, in milliseconds. */
export const READ_TIME = 10_000;

/** Keeps one execution from holding the thread: every few milliseconds it gives way, and at its deadline it ends. */
export class Pace {
  readonly #milliseconds: number;
  readonly #deadline: number;
  readonly #caller: Caller | undefined;
  #turnEnds: number;
  #hasBegun = false;

  /**
   * Waits for a turn before anything is done for an execution: many that come at once would be prepared and have their
   * first turn in one round of the event loop otherwise.
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
    // What is made for good, as a block, is made to the end.
    this.#caller = milliseconds === Number.POSITIVE_INFINITY ? undefined : currentCaller();
    this.#milliseconds = milliseconds;
    this.#deadline = Math.min(now + milliseconds, this.#caller?.deadline ?? Number.POSITIVE_INFINITY);
    this.#turnEnds = now + TURN;
  }

  /** To be called before the first instruction of each run; a promise where it is the turn of others. */
  begin(): Promise<void> | undefined {
    if (!this.isBounded) return undefined;
    if (this.#hasBegun) {
      this.#hasBegun = false;
      return undefined;
    }
    return hasTurn || waiting.length > 0 ? this.#yieldToEventLoop() : takeTurn();
  }

  /** To be called all the time; a promise where it is the turn of others. Throws after the deadline. */
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

  /** Waits for work that is done elsewhere, and tells it to end at the deadline. */
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
    // Where many wait, time may be up before the next turn.
    if (now >= this.#deadline) throw this.#timeout();
    this.#turnEnds = now + TURN;
  }
}

/** Nobody reads it. */
const LEFT = new RpcError(RPC.server, "execution aborted (the caller has left)");

const waiting: (() => void)[] = [];

/** Whether an execution has begun in this round of the event loop. */
let hasTurn = false;

function endTurn(): void {
  hasTurn = false;
}

/** A promise where another execution has begun in this round, or waits for its turn. */
function takeTurn(): Promise<void> | undefined {
  if (hasTurn || waiting.length > 0) return nextTurn();
  hasTurn = true;
  setImmediate(endTurn);
  return undefined;
}

/** Waits for a turn. However many executions wait, only one of them has one in each round of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letNext);
  });
}

function letNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letNext);
}

/** A time as Go writes it: `5s`, `1m30s`, `250ms`. */
function goDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
