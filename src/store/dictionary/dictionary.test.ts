import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Database } from "../engine/database.ts";
import { NO_FENCE } from "../engine/database.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { Dictionary } from "./dictionary.ts";
import { KeyedHash } from "./keyedHash.ts";

describeEngines((tested) => {
  const WIDTH = 20;

  /** Values 2n and 2n + 1 share their first 19 bytes. */
  function bytesOf(number: number): Bytes {
    const value = new Uint8Array(WIDTH);
    new DataView(value.buffer).setUint32(0, number >> 1);
    value[WIDTH - 1] = number & 1;
    return value;
  }

  /** Three keys for all values, so that only fingerprints tell them apart. */
  class CollidingHash extends KeyedHash {
    override keyOfWords(words: Int32Array, start: number, count: number): number {
      return (super.keyOfWords(words, start, count) % 3) * 2 ** 50;
    }
  }

  async function openDictionary(capacity = 1_000_000, hash = new KeyedHash(KeyedHash.newSecret())) {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    return {
      engine,
      dictionary: new Dictionary(hash, "address", WIDTH, capacity),
    };
  }

  async function give(
    engine: Database,
    dictionary: Dictionary,
    batches: readonly (readonly number[])[],
  ): Promise<number[]> {
    const ids: number[] = [];
    let next = 1;
    for (const batch of batches) {
      const entries = batch.map((number) => dictionary.note(bytesOf(number)));
      const [given] = await dictionary.load(engine, next, [dictionary.noted]);
      next += given!;
      ids.push(...entries.map((entry) => dictionary.id(entry)));
      await dictionary.flush(autocommit(engine));
    }
    return ids;
  }

  function byFirstAppearance(numbers: readonly number[]): number[] {
    const seen = [...new Set(numbers)];
    return numbers.map((number) => seen.indexOf(number) + 1);
  }

  test("ids go by first appearance, however the values are batched and however few are kept", async () => {
    const batches = fc.array(fc.array(fc.nat(60), { maxLength: 40 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom(0, 5, 1_000_000), async (given, capacity) => {
        const { engine, dictionary } = await openDictionary(capacity);
        assert.deepEqual(await give(engine, dictionary, given), byFirstAppearance(given.flat()));
        const rows = await engine.all("SELECT id, value FROM address ORDER BY id");
        const expected = [...new Set(given.flat())].map((number, at) => [at + 1, bytesOf(number)]);
        assert.deepEqual(rows, expected);
        assert.equal((await engine.all("SELECT value FROM address_hash")).length, rows.length);
        await engine.close();
      }),
      runs(60),
    );
  });

  test("values with the same key have ids of their own, as rows and packed", async () => {
    const { engine, dictionary } = await openDictionary(5, new CollidingHash(KeyedHash.newSecret()));
    const few = [
      [1, 2, 3, 4],
      [3, 9, 8, 7, 6],
      [6, 1, 12, 9, 4, 10],
    ];
    const many = Array.from({ length: 9000 }, (_, at) => 20 + at);
    const batches = [...few, many, [1, 12, 9019, 9020, 21, 9019], [9020, 5, 2]];

    const ids = await give(engine, dictionary, batches);

    const seen = [...new Set(batches.flat())];
    const expected = new Map(seen.map((number, at) => [number, at + 1]));
    assert.deepEqual(
      ids,
      batches.flat().map((number) => expected.get(number)),
    );
    assert.equal((await engine.all("SELECT first FROM address_hash_run")).length, 1);
    await engine.close();
  });

  test("known values are found without reading them", async () => {
    const { engine, dictionary } = await openDictionary(5);
    const numbers = Array.from({ length: 9000 }, (_, at) => at);
    await give(engine, dictionary, [numbers]);
    await engine.transaction(NO_FENCE, (writer) => writer.run("UPDATE address SET value = ?", new Uint8Array(1)));

    const ids = await give(engine, dictionary, [[17, 8999, 3]]);

    assert.deepEqual(ids, [18, 9000, 4]);
    await engine.close();
  });

  test("it grows past its first size within one batch and over many", async () => {
    const numbers = Array.from({ length: 5000 }, (_, at) => (at * 7919) % 4001);
    for (const batches of [[numbers], [numbers.slice(0, 400), numbers.slice(400, 2600), numbers.slice(2600)]]) {
      const { engine, dictionary } = await openDictionary();
      assert.deepEqual(await give(engine, dictionary, batches), byFirstAppearance(numbers));
      await engine.close();
    }
  });

  test("no value gets a second id while its filter grows, however little of it is kept", async () => {
    const { engine, dictionary } = await openDictionary(5);
    const batches = Array.from({ length: 25 }, (_, batch) =>
      Array.from({ length: 3000 }, (_, at) => (batch * 2500 + at * 17) % (2600 * (batch + 1))),
    );
    const seen = new Map<number, number>();
    for (const number of batches.flat()) if (!seen.has(number)) seen.set(number, seen.size + 1);

    const ids = await give(engine, dictionary, batches);

    assert.deepEqual(
      ids,
      batches.flat().map((number) => seen.get(number)),
    );
    await engine.close();
  });

  test("marks say how many ids were given out up to each block", async () => {
    const { engine, dictionary } = await openDictionary();
    await give(engine, dictionary, [[1, 2]]);
    const marks = [[2, 3], [], [1, 3, 4, 5]].map((block) => {
      for (const number of block) dictionary.note(bytesOf(number));
      return dictionary.noted;
    });

    assert.deepEqual(await dictionary.load(engine, 3, marks), [1, 1, 3]);
    assert.equal(dictionary.fresh, 3);
    assert.deepEqual(dictionary.freshValues(1, 3), new Uint8Array([...bytesOf(4), ...bytesOf(5)]));
    await engine.close();
  });

  test("of too many values it keeps those noted most, and still knows all", async () => {
    const { engine, dictionary } = await openDictionary(100);
    const busy = Array.from({ length: 40 }, (_, at) => at);
    const rest = Array.from({ length: 300 }, (_, at) => 1000 + at);
    await give(engine, dictionary, [[...busy, ...busy, ...rest]]);

    const entries = [1000, ...busy].map((number) => dictionary.note(bytesOf(number)));
    assert.equal(dictionary.noted, 1);
    assert.deepEqual(await dictionary.load(engine, 341, [1]), [0]);
    assert.deepEqual(
      entries.map((entry) => dictionary.id(entry)),
      [41, ...busy.map((number) => number + 1)],
    );
    await engine.close();
  });

  test("after a clear nothing is known but what the database holds", async () => {
    const { engine, dictionary } = await openDictionary();
    await give(engine, dictionary, [[1, 2, 3]]);
    dictionary.note(bytesOf(9));
    await dictionary.load(engine, 4, [1]);
    dictionary.clear();
    assert.equal(dictionary.fresh, 0);

    const entries = [8, 3, 2].map((number) => dictionary.note(bytesOf(number)));
    await dictionary.load(engine, 4, [3]);
    assert.deepEqual(
      entries.map((entry) => dictionary.id(entry)),
      [4, 3, 2],
    );
    await engine.close();
  });

  /** Pairs of words that cancel under any multiply-and-shift hash. */
  function cancelling(number: number): Bytes {
    const value = new Uint8Array(WIDTH);
    const view = new DataView(value.buffer);
    const [a, b] = [(number >> 3) & 511, (number >> 12) & 511];
    const words = [a << 23, (b << 23) ^ (b << 8), 0, 0, 0];
    for (let pair = 0; pair < 3; pair++) {
      if ((number >> pair) % 2 === 0) continue;
      words[pair + 1]! ^= 0x80000000;
      words[pair + 2]! ^= 0x80010000;
    }
    for (const [word, bits] of words.entries()) view.setUint32(word * 4, bits >>> 0, true);
    return value;
  }

  test("values made to collide cost about as much as others", async () => {
    const time = (make: (number: number) => Bytes) => {
      const start = threadCpuMs();
      for (let number = 0; number < 150_000; number++) dictionary.note(make(number));
      return threadCpuMs() - start;
    };
    const { engine, dictionary } = await openDictionary();
    time(bytesOf);
    dictionary.clear();
    const plain = time(bytesOf);
    dictionary.clear();
    const hostile = time(cancelling);
    assert.ok(hostile < plain * 5, `${hostile} ms, others ${plain} ms`);
    await engine.close();
  });
});
