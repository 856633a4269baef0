import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";

export interface FirstAnswerOptions<M, T> {
  /** Whom to ask, the best first. */
  readonly members: readonly M[];
  ask(member: M): Promise<T>;
  /** Milliseconds without an answer after which the next one is asked as well. */
  readonly patience: number;
  /** Learns who took long. */
  onSlow?(member: M): void;
  /** Whether others would answer the same. */
  isFinal(error: ChainError): boolean;
  /** Whether another may have more than this answer. */
  isEmpty?(answer: T): boolean;
}

/**
 * The first answer of some who can all give it. The next is asked when one fails or takes long, and what then comes first
 * counts. What is empty counts when nobody has more.
 */
export function firstAnswer<M, T>(options: FirstAnswerOptions<M, T>): Promise<T> {
  const { members, ask, patience, isFinal, isEmpty = () => false, onSlow } = options;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let [next, running, isDone] = [0, 0, false];
  let failure: ChainError | undefined;
  let empty: { readonly answer: T } | undefined;
  const end = (settle: () => void) => {
    isDone = true;
    settle();
  };
  const goOn = () => {
    if (isDone) return;
    if (next < members.length) start();
    else if (running === 0) end(() => (empty === undefined ? reject(failure) : resolve(empty.answer)));
  };
  const start = () => {
    const member = members[next++]!;
    running++;
    const timer = setTimeout(() => {
      onSlow?.(member);
      if (!isDone && next < members.length) start();
    }, patience);
    const settled = ask(member).finally(() => {
      running--;
      clearTimeout(timer);
    });
    settled.then(
      (answer) => {
        if (!isEmpty(answer)) end(() => resolve(answer));
        else empty = { answer };
        goOn();
      },
      (error: unknown) => {
        const failed = asChainError(error);
        failure = preferred(failure, failed);
        if (isFinal(failed)) end(() => reject(failed));
        goOn();
      },
    );
  };
  goOn();
  return promise;
}

/** What a node said counts for more than that another could not be reached. */
function preferred(one: ChainError | undefined, other: ChainError): ChainError {
  return one !== undefined && "rpc" in one && one.rpc !== undefined ? one : other;
}
