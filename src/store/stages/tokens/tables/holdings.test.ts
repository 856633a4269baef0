import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../../test/support/engines.ts";
import { fc, runs } from "../../../../../test/support/fastCheck.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Database } from "../../../engine/database.ts";
import { ByteReader } from "../../../rows/encoding.ts";
import { firstPosition } from "../../../rows/position.ts";
import { migrate } from "../../../schema/migrate.ts";
import { MIGRATIONS } from "../../../schema/schema.ts";
import { RUN } from "../../../tables/listRuns.ts";
import type { HoldingChange } from "./holdings.ts";
import { Holdings, readHolding } from "./holdings.ts";

describeEngines((tested) => {
  /** Around the limits of 32-bit integers. */
  const IDS = [1, 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];

  /** Transfers of a pair in one block. */
  interface Moves {
    readonly address: number;
    readonly asset: number;
    readonly count: number;
    readonly by: bigint;
  }

  type Block = readonly Moves[];

  const moves: fc.Arbitrary<Moves> = fc.record({
    address: fc.constantFrom(...IDS),
    asset: fc.constantFrom(...IDS.slice(2)),
    count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(RUN - 1, RUN, RUN + 1, 2 * RUN + 1)),
    by: fc.oneof(fc.bigInt({ min: -3n, max: 3n }), fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n })),
  });
  const block = fc.array(moves, { maxLength: 4 });
  const batches = fc.array(fc.array(block, { minLength: 1, maxLength: 3 }), { maxLength: 4 });

  /** Plain values by pair. */
  class Model {
    readonly amounts = new Map<string, bigint>();
    readonly lists = new Map<string, number[]>();

    copy(): Model {
      const copy = new Model();
      for (const [pair, amount] of this.amounts) copy.amounts.set(pair, amount);
      for (const [pair, list] of this.lists) copy.lists.set(pair, [...list]);
      return copy;
    }

    rows(): unknown[] {
      return [...this.amounts].map(([pair, amount]) => [pair, amount, this.lists.get(pair)]).sort();
    }
  }

  /** Holdings beside the model, with a copy per block. */
  class Trial {
    database!: Database;
    readonly #hash = new KeyedHash(KeyedHash.newSecret());
    model = new Model();
    readonly before: Model[] = [];
    #holdings!: Holdings;

    async open(): Promise<void> {
      this.database = await tested.open();
      await migrate(this.database, MIGRATIONS);
      this.reopen();
    }

    reopen(): void {
      this.#holdings = new Holdings(this.#hash, "holding");
    }

    async append(batch: readonly Block[], isFinal = false): Promise<void> {
      const start = this.model.copy();
      for (const moves of batch) {
        const number = this.before.length;
        this.before.push(this.model.copy());
        const entries = moves.map(({ address, asset }) => this.#holdings.note(address, asset));
        await this.#holdings.load(this.database);
        this.#holdings.begin(isFinal ? undefined : number);
        let position = firstPosition(number);
        for (const [at, one] of moves.entries()) {
          for (let i = 0; i < one.count; i++) this.#move(entries[at]!, one, position++);
        }
      }
      const changes = this.#holdings.changes();
      assert.deepEqual(shown(changes.filter(isMoved)), differences(start, this.model));
      assert.deepEqual(
        pairsOf(changes, 1),
        [...this.model.amounts.keys()].filter((pair) => !start.amounts.has(pair)).sort(),
      );
      await this.#holdings.flush(autocommit(this.database));
    }

    async unwind(blocks: number): Promise<void> {
      const to = this.before.length - blocks;
      const [now, then] = [this.model, this.before[to]!];
      this.before.length = to;
      const changes = await this.#holdings.restore(autocommit(this.database), to);
      assert.deepEqual(shown(changes.filter(isMoved)), differences(now, then));
      assert.deepEqual(pairsOf(changes, -1), [...now.amounts.keys()].filter((pair) => !then.amounts.has(pair)).sort());
      this.model = then.copy();
    }

    async expectModel(): Promise<void> {
      const rows = await this.database.all("SELECT address, asset, value FROM holding");
      const found = [];
      for (const [address, asset, value] of rows as [number, number, Bytes][]) {
        const { amount, transfers } = readHolding(value);
        const sql = "SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? ORDER BY ordinal";
        const runs = (await this.database.all(sql, address, asset)) as [number, Bytes][];
        assert.deepEqual(
          runs.map(([ordinal]) => ordinal),
          Array.from({ length: Math.floor(transfers.count / RUN) }, (_, at) => at * RUN),
        );
        const list = [...runs.map(([, body]) => body), transfers.body].flatMap(positionsIn);
        assert.equal(list.length, transfers.count);
        found.push([`${address}/${asset}`, amount, list]);
      }
      assert.deepEqual(found.sort(), this.model.rows());
      const [count] = await this.database.all("SELECT count(*) FROM holding_run");
      const sealed = [...this.model.lists.values()].map((list) => Math.floor(list.length / RUN));
      assert.equal(
        count![0],
        sealed.reduce((sum, runs) => sum + runs, 0),
      );
    }

    #move(entry: number, { address, asset, by }: Moves, position: number): void {
      const pair = `${address}/${asset}`;
      const amount = this.model.amounts.get(pair) ?? 0n;
      assert.equal(this.#holdings.move(entry, by), amount);
      this.#holdings.list(entry, position);
      this.#holdings.list(entry, position);
      this.model.amounts.set(pair, amount + by);
      this.model.lists.set(pair, [...(this.model.lists.get(pair) ?? []), position]);
    }
  }

  const isMoved = ({ before, after }: HoldingChange) => before !== after;

  const pairsOf = (changes: readonly HoldingChange[], rows: 1 | -1) =>
    changes
      .filter((change) => change.rows === rows)
      .map(({ address, asset }) => `${address}/${asset}`)
      .sort();

  const shown = (changes: Iterable<HoldingChange>) =>
    [...changes].map(({ address, asset, before, after }) => `${address}/${asset}: ${before} to ${after}`).sort();

  function differences(start: Model, end: Model): string[] {
    const pairs = [...new Set([...start.amounts.keys(), ...end.amounts.keys()])];
    const lines = pairs.map((pair) => [pair, start.amounts.get(pair) ?? 0n, end.amounts.get(pair) ?? 0n] as const);
    return lines
      .filter(([, before, after]) => before !== after)
      .map(([pair, before, after]) => `${pair}: ${before} to ${after}`)
      .sort();
  }

  function positionsIn(body: Bytes): number[] {
    const positions: number[] = [];
    for (const reader = new ByteReader(body); !reader.done; ) positions.push((positions.at(-1) ?? 0) + reader.varint());
    return positions;
  }

  async function open(): Promise<Trial> {
    const trial = new Trial();
    await trial.open();
    return trial;
  }

  test("holdings are the sums and lists of what was moved, however it is batched, unwound and opened again", async () => {
    const command = fc.oneof(
      fc.record({ kind: fc.constant("append" as const), blocks: fc.array(block, { minLength: 1, maxLength: 3 }) }),
      fc.record({ kind: fc.constant("unwind" as const), blocks: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ kind: fc.constant("reopen" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 10 }), async (commands) => {
        const trial = await open();
        for (const command of commands) {
          if (command.kind === "append") await trial.append(command.blocks);
          else if (command.kind === "reopen") trial.reopen();
          else if (trial.before.length > 0) await trial.unwind(Math.min(command.blocks, trial.before.length));
          await trial.expectModel();
        }
        await trial.database.close();
      }),
      runs(60),
    );
  });

  test("unwinding all leaves no row and no journal", async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (given) => {
        const trial = await open();
        for (const batch of given) await trial.append(batch);
        if (trial.before.length > 0) await trial.unwind(trial.before.length);

        for (const table of ["holding", "holding_run", "holding_journal"]) {
          assert.deepEqual(await trial.database.all(`SELECT * FROM ${table}`), [], table);
        }
        await trial.database.close();
      }),
      runs(30),
    );
  });

  test("what is final is not journaled, and unwinding goes back to it", async () => {
    await fc.assert(
      fc.asyncProperty(block, batches, async (final, given) => {
        const trial = await open();
        await trial.append([final], true);
        assert.deepEqual(await trial.database.all("SELECT * FROM holding_journal"), []);
        for (const batch of given) await trial.append(batch);
        if (trial.before.length > 1) await trial.unwind(trial.before.length - 1);
        await trial.expectModel();
        await trial.database.close();
      }),
      runs(30),
    );
  });

  for (const sizes of [
    [1, RUN],
    [RUN - 1, 1],
    [RUN, RUN],
    [RUN - 1, 2 * RUN + 2],
    [3 * RUN, 1],
  ]) {
    test(`a pair of ${sizes.join(" and ")} transfers unwinds to each of them, in one batch or in two`, async () => {
      const pair = { address: 2 ** 31 + 5, asset: 2 ** 32 - 2, by: 1n };
      const blocks = sizes.map((count): Block => [{ ...pair, count }]);
      for (const parts of [[blocks], blocks.map((one) => [one])]) {
        const trial = await open();
        for (const part of parts) await trial.append(part);
        await trial.expectModel();
        await trial.unwind(1);
        await trial.expectModel();
        await trial.append([blocks[1]!]);
        await trial.expectModel();
        await trial.unwind(2);
        await trial.expectModel();
        await trial.database.close();
      }
    });
  }

  test("a transfer that is listed and moves nothing is written, and unwinds", async () => {
    const trial = await open();
    const holdings = new Holdings(new KeyedHash(KeyedHash.newSecret()), "holding");
    const entry = holdings.note(1, 2);
    await holdings.load(trial.database);
    holdings.begin(0);
    holdings.list(entry, 5);
    await holdings.flush(autocommit(trial.database));

    const [row] = await trial.database.all("SELECT value FROM holding");
    assert.equal(readHolding(row![0] as Bytes).transfers.count, 1);
    await holdings.restore(autocommit(trial.database), 0);
    assert.deepEqual(await trial.database.all("SELECT * FROM holding"), []);
    await trial.database.close();
  });

  test("what was not flushed is forgotten by a clear", async () => {
    const trial = await open();
    await trial.append([[{ address: 1, asset: 2, count: 3, by: 5n }]]);
    const holdings = new Holdings(new KeyedHash(KeyedHash.newSecret()), "holding");
    const entry = holdings.note(1, 2);
    await holdings.load(trial.database);
    holdings.begin(1);
    holdings.move(entry, 9n);
    holdings.list(entry, firstPosition(1));
    holdings.clear();
    await holdings.flush(autocommit(trial.database));

    await trial.expectModel();
    assert.deepEqual(await trial.database.all("SELECT * FROM holding_journal WHERE block = 1"), []);
    await trial.database.close();
  });
});
