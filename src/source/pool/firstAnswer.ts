import { setTimeout as delay } from "node:timers/promises";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { startTimeout } from "../../std/async.ts";

interface FirstAnswerOptions<M, T> {
  readonly members: readonly M[];
  ask(member: M): Promise<T>;
  readonly hedgeDelay: number;
  /** If it resolves to true, the node is alive and gets `longPatience`. */
  onSlow?(member: M): unknown;
  readonly longHedgeDelay?: number;
  isFinal(error: ChainError): boolean;
  /** Whether another node may have more. */
  isEmpty?(answer: T): boolean;
  /** Ejected nodes are not waited for. */
  isEjected?(member: M): boolean;
}

/** Milliseconds for others to improve on an empty answer. */
const EMPTY_TIMEOUT = 250;

/**
 * Hedged request: asks the next node when one fails or is slow and takes the first answer. An empty answer triggers all
 * remaining nodes and is returned if none has more in time.
 */
export function firstAnswer<M, T>(options: FirstAnswerOptions<M, T>): Promise<T> {
  return new Race(options).run();
}

class Race<M, T> {
  readonly #options: FirstAnswerOptions<M, T>;
  readonly #result = Promise.withResolvers<T>();
  readonly #running = new Set<M>();
  /** Slow ones that did not answer a probe either. */
  readonly #hanging = new Set<M>();
  #next = 0;
  #isDone = false;
  #failure: ChainError | undefined;
  #empty: { readonly answer: T } | undefined;
  #cancelEmpty: (() => void) | undefined;

  constructor(options: FirstAnswerOptions<M, T>) {
    this.#options = options;
  }

  run(): Promise<T> {
    this.#goOn();
    return this.#result.promise;
  }

  #end(settle: () => void): void {
    this.#isDone = true;
    this.#cancelEmpty?.();
    settle();
  }

  #goOn(): void {
    if (this.#isDone) return;
    if (this.#empty !== undefined) this.#askTheRest(this.#empty.answer);
    else if (this.#next < this.#options.members.length) this.#start();
    else if (this.#failure !== undefined && this.#isHopeless) this.#end(() => this.#result.reject(this.#failure));
  }

  get #isHopeless(): boolean {
    const { isEjected = () => false } = this.#options;
    return [...this.#running].every((member) => isEjected(member) || this.#hanging.has(member));
  }

  #askTheRest(empty: T): void {
    const { members, hedgeDelay, isEjected = () => false } = this.#options;
    while (this.#next < members.length && !isEjected(members[this.#next]!)) this.#start();
    const give = () => this.#end(() => this.#result.resolve(empty));
    if ([...this.#running].every(isEjected)) give();
    else this.#cancelEmpty ??= startTimeout(Math.min(hedgeDelay, EMPTY_TIMEOUT), give);
  }

  #start(): void {
    const member = this.#options.members[this.#next++]!;
    this.#running.add(member);
    const cancel = startTimeout(this.#options.hedgeDelay, () => void this.#noteSlow(member));
    const settle = () => {
      this.#running.delete(member);
      cancel();
    };
    this.#options.ask(member).then(
      (answer) => {
        settle();
        this.#take(answer);
      },
      (error: unknown) => {
        settle();
        this.#fail(asChainError(error));
      },
    );
  }

  async #noteSlow(member: M): Promise<void> {
    const { onSlow, longHedgeDelay = 0, members } = this.#options;
    if ((await onSlow?.(member)) === true) await delay(longHedgeDelay, undefined, { ref: false });
    else if (onSlow !== undefined) this.#hanging.add(member);
    if (this.#isDone || !this.#running.has(member)) return;
    if (this.#next < members.length) this.#start();
    else if (this.#failure !== undefined) this.#goOn();
  }

  #take(answer: T): void {
    if (this.#isDone) return;
    if (this.#options.isEmpty?.(answer) === true) {
      this.#empty = { answer };
      this.#goOn();
    } else this.#end(() => this.#result.resolve(answer));
  }

  #fail(failed: ChainError): void {
    if (this.#isDone) return;
    this.#failure = preferred(this.#failure, failed);
    if (this.#options.isFinal(failed)) this.#end(() => this.#result.reject(failed));
    else this.#goOn();
  }
}

/** An error returned by a node takes precedence over an unreachable one. */
function preferred(one: ChainError | undefined, other: ChainError): ChainError {
  return one !== undefined && "rpc" in one && one.rpc !== undefined ? one : other;
}
