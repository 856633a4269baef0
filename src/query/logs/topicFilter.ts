import type { Bytes } from "../../chain/encoding/bytes.ts";

export const TOPIC_NUMBERS = [0, 1, 2, 3] as const;
export type TopicNumber = (typeof TOPIC_NUMBERS)[number];

/** Two topics of a filter, and whether a log needs both of them or one. */
export interface TopicPair {
  readonly topics: readonly [TopicNumber, TopicNumber];
  readonly operator: "and" | "or";
}

/** Every pair of topics that can be joined, in the order in which their operators are named. */
export const TOPIC_PAIRS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
] as const satisfies readonly (readonly [TopicNumber, TopicNumber])[];

/**
 * What the topics of a log must be. Each pair of given topics is a clause, `A and B` or `A or B`, and a log has to
 * fulfil all clauses; a single topic is a clause by itself.
 */
export class TopicFilter {
  readonly topics: ReadonlyMap<TopicNumber, Bytes>;
  readonly #pairs: readonly TopicPair[];

  constructor(topics: ReadonlyMap<TopicNumber, Bytes>, pairs: readonly TopicPair[]) {
    this.topics = topics;
    this.#pairs = pairs;
  }

  /** Whether a log is wanted of which the topics with these bits are as they should be. */
  accepts(found: number): boolean {
    const has = (number: TopicNumber) => (found & (1 << number)) !== 0;
    if (this.#pairs.length === 0) return [...this.topics.keys()].every(has);
    return this.#pairs.every(({ topics: [one, other], operator }) =>
      operator === "and" ? has(one) && has(other) : has(one) || has(other),
    );
  }
}
