import { setTimeout as delay } from "node:timers/promises";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";

export interface FirstAnswerOptions<M, T> {
  /** Whom to ask, the best first and the ejected last. */
  readonly members: readonly M[];
  ask(member: M): Promise<T>;
  /** Milliseconds without an answer after which the next one is asked as well. */
  readonly patience: number;
  /** Learns who took long; a promise of true says that it is alive and is to be given `longPatience`. */
  onSlow?(member: M): unknown;
  readonly longPatience?: number;
  /** Whether others would answer the same. */
  isFinal(error: ChainError): boolean;
  /** Whether another may have more than this answer. */
  isEmpty?(answer: T): boolean;
  /** Whether it does not answer at present: then nobody waits for it to have more. */
  isEjected?(member: M): boolean;
}

/** Milliseconds that others are given to have more than an empty answer. */
export const EMPTY_PATIENCE = 250;

/**
 * The first answer of some who can all give it. The next is asked when one fails or takes long, and what then comes first
 * counts. Once one has nothing, all others are asked together; what is empty counts when none of them has more in time.
 */
export function firstAnswer<M, T>(options: FirstAnswerOptions<M, T>): Promise<T> {
  return new Race(options).run();
}

class Race<M, T> {
  readonly #options: FirstAnswerOptions<M, T>;
  readonly #result = Promise.withResolvers<T>();
  readonly #running = new Set<M>();
  #next = 0;
  #isDone = false;
  #failure: ChainError | undefined;
  #empty: { readonly answer: T } | undefined;
  #emptyTimer: NodeJS.Timeout | undefined;

  constructor(options: FirstAnswerOptions<M, T>) {
    this.#options = options;
  }

  run(): Promise<T> {
    this.#goOn();
    return this.#result.promise;
  }

  #end(settle: () => void): void {
    this.#isDone = true;
    clearTimeout(this.#emptyTimer);
    settle();
  }

  #goOn(): void {
    if (this.#isDone) return;
    if (this.#empty !== undefined) this.#askTheRest(this.#empty.answer);
    else if (this.#next < this.#options.members.length) this.#start();
    else if (this.#running.size === 0) this.#end(() => this.#result.reject(this.#failure));
  }

  #askTheRest(empty: T): void {
    const { members, patience, isEjected = () => false } = this.#options;
    while (this.#next < members.length && !isEjected(members[this.#next]!)) this.#start();
    const give = () => this.#end(() => this.#result.resolve(empty));
    if ([...this.#running].every(isEjected)) give();
    else this.#emptyTimer ??= setTimeout(give, Math.min(patience, EMPTY_PATIENCE));
  }

  #start(): void {
    const member = this.#options.members[this.#next++]!;
    this.#running.add(member);
    const timer = setTimeout(() => void this.#noteSlow(member), this.#options.patience);
    const settle = () => {
      this.#running.delete(member);
      clearTimeout(timer);
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
    const { onSlow, longPatience = 0, members } = this.#options;
    if ((await onSlow?.(member)) === true) await delay(longPatience, undefined, { ref: false });
    if (!this.#isDone && this.#running.has(member) && this.#next < members.length) this.#start();
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

/** What a node said counts for more than that another could not be reached. */
function preferred(one: ChainError | undefined, other: ChainError): ChainError {
  return one !== undefined && "rpc" in one && one.rpc !== undefined ? one : other;
}
