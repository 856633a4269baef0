import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { TopicNumber, TopicPair } from "./topicFilter.ts";
import { TOPIC_NUMBERS, TOPIC_PAIRS, TopicFilter } from "./topicFilter.ts";

const word = (number: number): Bytes => new Uint8Array(32).fill(number);

const filters = fc
  .record({
    topics: fc.array(fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), { minLength: 4, maxLength: 4 }),
    operators: fc.array(fc.constantFrom("and" as const, "or" as const), { minLength: 6, maxLength: 6 }),
  })
  .map(({ topics, operators }) => {
    const given = new Map<TopicNumber, number>();
    for (const number of TOPIC_NUMBERS) if (topics[number] !== undefined) given.set(number, topics[number]);
    const pairs = TOPIC_PAIRS.flatMap((pair, at): TopicPair[] =>
      pair.every((number) => given.has(number)) ? [{ topics: pair, operator: operators[at]! }] : [],
    );
    return { given, pairs };
  });

/** The filter as a SQL condition. */
function plainly(
  given: ReadonlyMap<TopicNumber, number>,
  pairs: readonly TopicPair[],
  log: readonly number[],
): boolean {
  const is = (number: TopicNumber) => log[number] === given.get(number);
  if (given.size === 1) return is([...given.keys()][0]!);
  return pairs.every(({ topics: [one, other], operator }) =>
    operator === "and" ? is(one) && is(other) : is(one) || is(other),
  );
}

const logs = [0, 1, 2, 3, 4].flatMap((length) => {
  let all: number[][] = [[]];
  for (let at = 0; at < length; at++) all = all.flatMap((log) => [1, 2, 3].map((topic) => [...log, topic]));
  return all;
});

test("a log is wanted where every clause of two topics holds, and a single topic is a clause", () => {
  fc.assert(
    fc.property(filters, ({ given, pairs }) => {
      fc.pre(given.size > 0);
      const filter = new TopicFilter(new Map([...given].map(([number, value]) => [number, word(value)])), pairs);
      for (const log of logs) {
        const bits = TOPIC_NUMBERS.filter((number) => log[number] === given.get(number) && given.has(number));
        const found = bits.reduce<number>((sum, number) => sum | (1 << number), 0);
        assert.equal(filter.accepts(found), plainly(given, pairs, log), `${log}`);
      }
    }),
    { numRuns: 300 },
  );
});
