import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { ListReads, PositionList } from "./list.ts";
import type { Entry } from "./listRuns.ts";
import { RUN } from "./listRuns.ts";

describeEngines((tested) => {
  const OWNERS = 3;
  const BOUNDARIES = [1, RUN - 1, RUN, RUN + 1, 2 * RUN, 2 * RUN + 1];

  /** Appends entries, or cuts at or near an entry. */
  type Command =
    | { kind: "append"; owner: number; count: number; step: number }
    | { kind: "cut"; owner: number; keep: number; offset: number };

  const owner = fc.nat(OWNERS - 1);
  const count = fc.oneof(fc.nat(20), fc.constantFrom(...BOUNDARIES), fc.nat(400));
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.record({ kind: fc.constant("append" as const), owner, count, step: fc.integer({ min: 1, max: 2 ** 40 }) }),
    fc.record({ kind: fc.constant("cut" as const), owner, keep: count, offset: fc.integer({ min: -1, max: 1 }) }),
  );

  async function openList(tagged: boolean) {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    const table = { name: "address_log", isTagged: tagged };
    const writer = autocommit(engine);
    return { engine, writer, list: new PositionList(table), reads: new ListReads(engine, table) };
  }

  class Model {
    readonly lists: Entry[][] = Array.from({ length: OWNERS }, () => []);

    append({ owner, count, step }: Extract<Command, { kind: "append" }>, tagged: boolean): Entry[] {
      const list = this.lists[owner]!;
      const added: Entry[] = [];
      for (let i = 0; i < count; i++) {
        const last = list.at(-1)?.position ?? 0;
        added.push({ position: last + 1 + (step % (i + 2)), tag: tagged ? (step + i) % 300 : 0 });
        list.push(added.at(-1)!);
      }
      return added;
    }

    cut({ owner, keep, offset }: Extract<Command, { kind: "cut" }>): number {
      const list = this.lists[owner]!;
      const position = Math.max(0, (list[Math.min(keep, list.length - 1)]?.position ?? 0) + offset);
      this.lists[owner] = list.filter((entry) => entry.position < position);
      return position;
    }
  }

  async function expectEqual(list: ListReads, { lists }: Model): Promise<void> {
    for (const [owner, entries] of lists.entries()) {
      assert.equal(await list.count(owner), entries.length);
      assert.deepEqual(await list.slice(owner, 0, entries.length), entries);
    }
    const walked = [];
    for await (const { owner, count, entries } of list.owners(2)) walked.push([owner, count, entries]);
    const expected = lists.map((entries, owner) => [owner, entries.length, entries] as const);
    assert.deepEqual(
      walked,
      expected.filter(([, count]) => count > 0),
    );
  }

  async function obey(commands: readonly Command[], tagged: boolean): Promise<void> {
    const { engine, writer, list, reads } = await openList(tagged);
    const model = new Model();
    for (const command of commands) {
      if (command.kind === "append") {
        for (const { position, tag } of model.append(command, tagged)) list.add(command.owner, position, tag);
        await list.flush(writer, OWNERS);
      } else await list.cut(writer, [command.owner], model.cut(command));
      await expectEqual(reads, model);
    }
    await engine.close();
  }

  test("a list is the array of what was added and not cut", async () => {
    const property = fc.asyncProperty(fc.array(command, { maxLength: 8 }), fc.boolean(), obey);
    await fc.assert(property, runs(60));
  });

  test("a list cut at every place around the ends of runs goes on as if the rest had never been", async () => {
    for (const length of [RUN - 1, RUN, RUN + 1, 2 * RUN, 2 * RUN + 5]) {
      for (const keep of [0, 1, RUN - 1, RUN, RUN + 1, 2 * RUN].filter((kept) => kept < length)) {
        const append = { kind: "append", owner: 1, count: length, step: 5 } as const;
        await obey([append, { kind: "cut", owner: 1, keep, offset: 0 }, { ...append, count: RUN + 1 }], true);
      }
    }
  });

  test("any slice is that of the array", async () => {
    const { engine, writer, list, reads } = await openList(true);
    const model = new Model();
    const append = { kind: "append", owner: 0, count: 3 * RUN + 10, step: 77 } as const;
    for (const { position, tag } of model.append(append, true)) list.add(0, position, tag);
    await list.flush(writer, OWNERS);
    const place = fc.nat(3 * RUN + 20);

    await fc.assert(
      fc.asyncProperty(place, place, async (from, to) => {
        assert.deepEqual(await reads.slice(0, from, to), model.lists[0]!.slice(from, Math.max(from, to)));
      }),
      runs(80),
    );
    assert.deepEqual(await reads.slice(9, 0, 10), []);
    await engine.close();
  });

  test("the same position comes once when added once", async () => {
    const { engine, writer, list, reads } = await openList(false);
    for (const position of [4, 4, 5, 5, 9]) list.addOnce(1, position);
    await list.flush(writer, OWNERS);

    assert.deepEqual(
      (await reads.slice(1, 0, 9)).map(({ position }) => position),
      [4, 5, 9],
    );
    await engine.close();
  });
});
