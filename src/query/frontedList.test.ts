import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { frontedList } from "./frontedList.ts";

const SEED = firstSeed();

test(`a list with items in front continues with the others, from any rank and after any item (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  for (let round = 0; round < 300; round++) {
    const items = Array.from({ length: random.int(30) }, (_, at) => at * 3);
    const front = random.shuffle([...items]).slice(0, random.int(items.length + 1));
    const expected = [...front, ...items.filter((item) => !front.includes(item))];
    const list = frontedList(
      {
        fromRank: async (rank, limit) => items.slice(rank, rank + limit),
        after: async (item, limit) => items.filter((one) => one > item).slice(0, limit),
      },
      front,
      { key: String, isBefore: (one, other) => one < other },
    );
    for (let rank = 0; rank <= items.length + 1; rank++) {
      const limit = random.between(1, 6);
      assert.deepEqual(await list.fromRank(rank, limit), expected.slice(rank, rank + limit), `${front} from ${rank}`);
    }
    for (const [at, item] of expected.entries()) {
      assert.deepEqual(await list.after(item, 4), expected.slice(at + 1, at + 5), `${front} after ${item}`);
    }
  }
});

test("the first page behind thousands of items in front takes few reads", async () => {
  const items = Array.from({ length: 6000 }, (_, at) => at);
  let reads = 0;
  const list = frontedList(
    {
      fromRank: async (rank, limit) => {
        reads++;
        return items.slice(rank, rank + limit);
      },
      after: async (item, limit) => {
        reads++;
        return items.slice(item + 1, item + 1 + limit);
      },
    },
    items.slice(0, 5000),
    { key: String, isBefore: (one, other) => one < other },
  );

  assert.deepEqual(await list.fromRank(5000, 50), items.slice(5000, 5050));
  assert.ok(reads <= 20, `${reads} reads`);
});
