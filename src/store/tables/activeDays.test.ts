import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Database } from "../engine/database.ts";
import { firstPosition } from "../rows/position.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { ActiveDays, readActiveDays } from "./activeDays.ts";
import { PositionList } from "./list.ts";
import { RUN } from "./listRuns.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

describeEngines((tested) => {
  /** Transactions of an owner, one after the other. */
  type Activity = readonly [owner: number, transactions: number];

  interface Block {
    readonly number: number;
    readonly latest: number;
    readonly activities: readonly Activity[];
  }

  /** Appends a batch of blocks, or goes back. A restart forgets what is in memory. */
  type Command =
    | { kind: "append"; blocks: readonly (readonly [seconds: number, activities: readonly Activity[]])[] }
    | { kind: "unwind"; blocks: number }
    | { kind: "restart" };

  const OWNERS = 5;

  const transactions = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
    fc.constantFrom(RUN - 1, RUN),
  );
  const activities = fc.array(fc.tuple(fc.nat(OWNERS - 1), transactions), { maxLength: 4 });
  const seconds = fc.oneof(fc.integer({ min: -HOUR, max: HOUR }), fc.nat(DAY), fc.nat(4 * DAY));
  const command: fc.Arbitrary<Command> = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("append" as const),
        blocks: fc.array(fc.tuple(seconds, activities), { minLength: 1, maxLength: 5 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("unwind" as const), blocks: fc.nat(7) }) },
    fc.record({ kind: fc.constant("restart" as const) }),
  );

  class Chain {
    readonly blocks: Block[] = [];
    readonly #database: Database;
    readonly #days = new ActiveDays();
    readonly #list = new PositionList<"miner id">({ name: "miner_block", isTagged: false }, [], this.#days);

    constructor(database: Database) {
      this.#database = database;
    }

    async obey(command: Command): Promise<void> {
      if (command.kind === "append") await this.#append(command.blocks);
      else if (command.kind === "unwind") await this.#unwind(Math.max(this.blocks.length - command.blocks, 1));
      else this.#days.clear();
    }

    async #append(blocks: Extract<Command, { kind: "append" }>["blocks"]): Promise<void> {
      await this.#days.load(this.#database, this.blocks.at(-1));
      for (const [seconds, activities] of blocks) {
        const last = this.blocks.at(-1)?.latest ?? 1000 * DAY;
        const block = { number: this.blocks.length, latest: Math.max(last, last + seconds), activities };
        this.#days.begin(block.number, block.latest);
        let position = firstPosition(block.number);
        for (const [owner, transactions] of activities)
          for (let count = 0; count < transactions; count++) this.#list.add(owner, position++);
        this.blocks.push(block);
      }
      await transact(this.#database, async (writer) => {
        await this.#list.flush(writer, OWNERS);
        await this.#days.flush(writer);
      });
    }

    async #unwind(kept: number): Promise<void> {
      const dropped = this.blocks.splice(kept);
      const tip = this.blocks.at(-1);
      if (tip === undefined) return;
      const owners = new Set(dropped.flatMap(({ activities }) => activities.map(([owner]) => owner)));
      await transact(this.#database, async (writer) => {
        const lists = await this.#list.cut(writer, [...owners], firstPosition(kept));
        await this.#days.cut(writer, tip.latest, lists);
      });
      this.#days.clear();
    }

    /** By a plain walk over the blocks. */
    expected(): Map<number, number> {
      const owners = new Map<number, Set<number>>();
      for (const { latest, activities } of this.blocks) {
        const day = Math.floor(latest / DAY);
        const active = owners.get(day) ?? new Set();
        for (const [owner] of activities) active.add(owner);
        owners.set(day, active);
      }
      return new Map([...owners].map(([day, active]) => [day, active.size]));
    }
  }

  test(`the addresses of each day are counted once, whatever was appended and unwound (seed ${firstSeed()})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 10 }), async (commands) => {
        const database = await tested.open();
        await migrate(database, MIGRATIONS);
        const chain = new Chain(database);
        for (const command of commands) {
          await chain.obey(command);
          assert.deepEqual(await readActiveDays(database, 0, Number.MAX_SAFE_INTEGER), chain.expected());
        }
        await database.close();
      }),
      runs(100),
    );
  });
});
