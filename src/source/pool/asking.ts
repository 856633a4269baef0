import { isStateMethod } from "../stateMethods.ts";
import type { Member } from "./member.ts";
import type { Members } from "./members.ts";
import { askQuorum } from "./quorum.ts";

/** Learns who gave another answer than the quorum, and how to tell whether an answer is that of the quorum. */
type Dissent<T> = (member: Member, isAgreed: (answer: T) => boolean) => void;

/** How the nodes of a pool are asked: how long one is waited for, and how many must agree. */
export class Asking {
  /** Milliseconds that a node is given for a call. */
  readonly patience: number;
  readonly #members: Members;
  readonly #quorum: number;

  constructor(members: Members, { patience = 1000, quorum = 1 }: { patience?: number; quorum?: number | undefined }) {
    this.#members = members;
    this.patience = patience;
    this.#quorum = quorum;
  }

  get quorum(): number {
    return this.#quorum;
  }

  /** Another node is asked soon where one does not answer anything, and else when the call has taken this long. */
  hedgeAfter(milliseconds: number) {
    const patience = this.patience / 4;
    return { patience, longPatience: milliseconds - patience, onSlow: (member: Member) => member.probe(patience) };
  }

  /** Whether what this method answers is compared between nodes. */
  isCompared(method: string): boolean {
    return this.#quorum > 1 && isStateMethod(method);
  }

  /** The answer that a quorum of the nodes gives. */
  askQuorum<T>(ask: (member: Member) => Promise<T>, subject: string, onDissent?: Dissent<T>): Promise<T> {
    // One that gave false data elsewhere may agree with others here.
    const members = [...new Set([...this.#members.ordered(), ...this.#members.all])];
    const [quorum, patience] = [this.#quorum, this.patience];
    return askQuorum({ members, ask, quorum, patience, onSlow, subject, ...(onDissent && { onDissent }) });
  }
}

const onSlow = (member: Member) => member.noteSlow();
