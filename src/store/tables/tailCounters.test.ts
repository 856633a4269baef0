import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Database } from "../engine/database.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { PositionList } from "./list.ts";
import type { CounterCodec } from "./tailCounters.ts";
import { TailCounters } from "./tailCounters.ts";

describeEngines((tested) => {
  const codec: CounterCodec<number> = {
    read: (bytes) => bytes[0]! * 256 + bytes[1]!,
    write: (value) => new Uint8Array([value >> 8, value & 255]),
    add: (one, other) => one + other,
  };

  /** Counters of transactions sent and received, as in the index. */
  class Counted {
    readonly #sent = new TailCounters("address_tx", "sent", codec);
    readonly #called = new TailCounters("address_tx", "called", codec);
    readonly #list = new PositionList({ name: "address_tx", isTagged: false }, [this.#sent, this.#called]);
    readonly #engine: Database;

    constructor(engine: Database) {
      this.#engine = engine;
    }

    /** A block per position. Those before `journalFrom` are final. */
    async append(blocks: readonly Transfers[], first: number, size: number, journalFrom: number): Promise<void> {
      for (let at = 0; at < blocks.length; at += size) {
        for (const [offset, transfers] of blocks.slice(at, at + size).entries())
          await this.add(transfers, first + at + offset, journalFrom);
        await this.#list.flush(autocommit(this.#engine), Number.MAX_SAFE_INTEGER);
        await this.#sent.flushJournal(autocommit(this.#engine));
        await this.#called.flushJournal(autocommit(this.#engine));
      }
    }

    async add(transfers: Transfers, block: number, journalFrom: number): Promise<void> {
      const isFinal = block < journalFrom;
      const ids = [...new Set([...transfers.map(([from]) => from), ...transfers.map(([, to]) => to)])];
      for (const counters of [this.#sent, this.#called]) {
        if (!isFinal) await counters.load(this.#engine, ids);
        counters.begin(isFinal ? undefined : block);
      }
      for (const [from, to, amount] of transfers) {
        this.#sent.set(from, (this.#sent.get(from) ?? 0) + amount);
        this.#called.set(to, (this.#called.get(to) ?? 0) + amount);
        this.#list.addOnce(from, block);
        this.#list.addOnce(to, block);
      }
    }

    async unwind(block: number): Promise<void> {
      const writer = autocommit(this.#engine);
      const restored = [await this.#sent.before(writer, block), await this.#called.before(writer, block)];
      await this.#list.cut(writer, [...OWNERS], block, restored);
      await writer.run("DELETE FROM journal WHERE block >= ?", block);
    }

    forget(): void {
      this.#list.clear();
      this.#sent.clear();
      this.#called.clear();
    }

    async content(): Promise<unknown[]> {
      const sql = "SELECT owner, count, sent, called FROM address_tx_tail ORDER BY owner";
      const rows = await this.#engine.all<[number, number, Bytes, Bytes]>(sql);
      const shown = (bytes: Bytes) => (bytes.length === 0 ? 0 : codec.read(bytes));
      return rows.map(([owner, count, sent, called]) => [owner, count, shown(sent), shown(called)]);
    }
  }

  const OWNERS = Array.from({ length: 6 }, (_, owner) => owner);

  type Transfers = readonly (readonly [from: number, to: number, amount: number])[];

  const owner = fc.nat(OWNERS.length - 1);
  const blocks = fc.array(fc.array(fc.tuple(owner, owner, fc.integer({ min: 1, max: 99 })), { maxLength: 6 }), {
    maxLength: 8,
  });

  /** By summing up all transfers. */
  function summed(all: readonly Transfers[]): unknown[] {
    return OWNERS.flatMap((owner) => {
      const count = all.filter((transfers) => transfers.some(([from, to]) => from === owner || to === owner)).length;
      const sum = (at: 0 | 1) =>
        all
          .flat()
          .filter((transfer) => transfer[at] === owner)
          .reduce((total, [, , amount]) => total + amount, 0);
      return count === 0 ? [] : [[owner, count, sum(0), sum(1)]];
    });
  }

  async function openCounted() {
    const engine = await tested.open();
    await migrate(engine, MIGRATIONS);
    return { engine, counted: new Counted(engine) };
  }

  test("counters are the sums of all blocks, and after an unwind of those that stay", async () => {
    const depth = fc.nat(8);
    await fc.assert(
      fc.asyncProperty(blocks, blocks, depth, fc.integer({ min: 1, max: 5 }), async (before, after, final, size) => {
        const { engine, counted } = await openCounted();
        const journalFrom = Math.min(final, before.length) + 1;
        await counted.append(before, 1, size, journalFrom);
        assert.deepEqual(await counted.content(), summed(before));

        await counted.append(after, before.length + 1, size, journalFrom);
        assert.deepEqual(await counted.content(), summed([...before, ...after]));

        for (const kept of [before.length, journalFrom - 1]) {
          await counted.unwind(kept + 1);
          assert.deepEqual(await counted.content(), summed(before.slice(0, kept)));
        }
        await counted.append(after, journalFrom, size + 1, journalFrom);
        assert.deepEqual(await counted.content(), summed([...before.slice(0, journalFrom - 1), ...after]));
        await engine.close();
      }),
      runs(60),
    );
  });

  test("final blocks add to what is stored, and journal nothing", async () => {
    const { engine, counted } = await openCounted();
    await counted.append([[[1, 2, 5]], [[1, 2, 7]]], 1, 1, 3);

    assert.deepEqual(await counted.content(), [
      [1, 2, 12, 0],
      [2, 2, 0, 12],
    ]);
    assert.deepEqual(await engine.all("SELECT * FROM journal"), []);
    await engine.close();
  });

  test("counters that were not flushed are forgotten by a clear", async () => {
    const { engine, counted } = await openCounted();
    await counted.append([[[1, 2, 5]]], 1, 1, 1);
    await counted.add([[1, 2, 9]], 2, 1);
    counted.forget();
    await counted.append([[[3, 1, 4]]], 2, 1, 2);

    assert.deepEqual(await counted.content(), [
      [1, 2, 5, 4],
      [2, 1, 0, 5],
      [3, 1, 4, 0],
    ]);
    await engine.close();
  });
});
