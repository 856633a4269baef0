import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Database } from "../engine/database.ts";
import { AddressResolver } from "./addressResolver.ts";

const SEED = firstSeed();

describeEngines(({ open }) => {
  async function makeDictionaries(random: Random, count: number) {
    const database = await open();
    const { integer, bytes } = database.dialect;
    const fill = async (table: string, size: number) => {
      const values = Array.from({ length: count }, () => random.bytes(size));
      await autocommit(database).run(`CREATE TABLE ${table} (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`);
      await autocommit(database).insert(
        table,
        ["id", "value"],
        values.map((value, id) => [id, value]),
      );
      return values;
    };
    return { database, addresses: await fill("address", 20), signatures: await fill("signature", 32) };
  }

  test(`every place has the value of its id, in whichever order they are asked for (seed ${SEED})`, async (t) => {
    const random = new Random(SEED);
    const { database, addresses, signatures } = await makeDictionaries(random, 3000);
    t.after(() => database.close());

    for (const asked of [0, 1, 5, 300, 2000]) {
      await database.snapshot(async (snapshot) => {
        const resolver = new AddressResolver(snapshot);
        const expected = new Uint8Array(52 * asked);
        const target = new Uint8Array(52 * asked);
        const shared: [Uint8Array, number][] = [];
        for (let at = 0; at < asked; at++) {
          const [address, signature] = [random.int(3000), random.int(3000)];
          resolver.fillAddress(target, 52 * at, address);
          resolver.fillSignature(target, 52 * at + 20, signature);
          expected.set(addresses[address]!, 52 * at);
          expected.set(signatures[signature]!, 52 * at + 20);
          if (random.chance(0.3)) shared.push([resolver.address(address), address]);
        }

        await resolver.load();

        assert.deepEqual(target, expected);
        for (const [bytes, id] of shared) assert.deepEqual(bytes, addresses[id]);
      });
    }
  });

  test("an id that is not in its dictionary, or whose value has another size, is damage", async (t) => {
    const { database } = await makeDictionaries(new Random(SEED), 9);
    t.after(() => database.close());
    await autocommit(database).upsert(
      "address",
      ["id", "value"],
      [
        [3, new Uint8Array(19)],
        [4, new Uint8Array(21)],
      ],
    );
    const load = (db: Database, ids: readonly number[]) => {
      const resolver = new AddressResolver(db);
      for (const id of ids) resolver.fillAddress(new Uint8Array(20), 0, id);
      return resolver.load();
    };

    await load(database, [1, 2, 5]);
    for (const ids of [[1, 9, 2], [3], [4, 1], [3, 4]]) {
      await assert.rejects(load(database, ids), { code: "store_corrupt" }, String(ids));
    }
  });
});
