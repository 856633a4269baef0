import type { Bytes } from "../../chain/encoding/bytes.ts";

export const TOPIC_NUMBERS = [0, 1, 2, 3] as const;
export type TopicNumber = (typeof TOPIC_NUMBERS)[number];

export interface TopicPair {
  readonly topics: readonly [TopicNumber, TopicNumber];
  readonly operator: "and" | "or";
}

/** In the order of operator names. */
export const TOPIC_PAIRS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
] as const satisfies readonly (readonly [TopicNumber, TopicNumber])[];

/**
 * Topic conditions with operators: every pair of given topics is a clause, `A and B` or `A or B`, and all clauses must
 * hold; a single topic is a clause by itself.
 */
export class TopicFilter {
  readonly topics: ReadonlyMap<TopicNumber, Bytes>;
  readonly #pairs: readonly TopicPair[];

  constructor(topics: ReadonlyMap<TopicNumber, Bytes>, pairs: readonly TopicPair[]) {
    this.topics = topics;
    this.#pairs = pairs;
  }

  /** `found` has a bit per matching topic. */
  accepts(found: number): boolean {
    const has = (number: TopicNumber) => (found & (1 << number)) !== 0;
    if (this.#pairs.length === 0) return [...this.topics.keys()].every(has);
    return this.#pairs.every(({ topics: [one, other], operator }) =>
      operator === "and" ? has(one) && has(other) : has(one) || has(other),
    );
  }
}
