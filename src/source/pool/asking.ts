import { isStateMethod } from "../stateMethods.ts";
import type { Member } from "./member.ts";
import type { Members } from "./members.ts";
import { askQuorum } from "./quorum.ts";

/** Receives a node that deviates from the quorum, and a predicate for the agreed answer. */
type Dissent<T> = (member: Member, isAgreed: (answer: T) => boolean) => void;

/** Timeouts and quorum for calls to the nodes of a pool. */
export class Asking {
  readonly hedgeDelay: number;
  readonly #members: Members;
  readonly #quorum: number;

  constructor(
    members: Members,
    { hedgeDelay = 1000, quorum = 1 }: { hedgeDelay?: number; quorum?: number | undefined },
  ) {
    this.#members = members;
    this.hedgeDelay = hedgeDelay;
    this.#quorum = quorum;
  }

  get quorum(): number {
    return this.#quorum;
  }

  /** Delay before a second node is tried; short if the first does not answer a probe either. */
  hedgeAfter(milliseconds: number) {
    const hedgeDelay = this.hedgeDelay / 4;
    return {
      hedgeDelay,
      longHedgeDelay: milliseconds - hedgeDelay,
      onSlow: (member: Member) => member.probe(hedgeDelay),
    };
  }

  /** Whether results of the method are subject to the quorum. */
  isCompared(method: string): boolean {
    return this.#quorum > 1 && isStateMethod(method);
  }

  /** The answer that a quorum of the nodes gives. */
  askQuorum<T>(ask: (member: Member) => Promise<T>, subject: string, onDissent?: Dissent<T>): Promise<T> {
    // Distrusted nodes still count here if they agree with others.
    const members = [...new Set([...this.#members.ordered(), ...this.#members.all])];
    const [quorum, hedgeDelay] = [this.#quorum, this.hedgeDelay];
    return askQuorum({ members, ask, quorum, hedgeDelay, onSlow, subject, ...(onDissent && { onDissent }) });
  }
}

const onSlow = (member: Member) => member.noteSlow();
