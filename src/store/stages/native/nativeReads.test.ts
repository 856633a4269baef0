import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit, transact } from "../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../test/support/engines.ts";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Database } from "../../engine/database.ts";
import { migrate } from "../../schema/migrate.ts";
import { MIGRATIONS } from "../../schema/schema.ts";
import { NativeReads } from "./nativeReads.ts";
import { readNativeTip } from "./nativeTip.ts";
import type { NativeBalance } from "./nativeWrite.ts";
import { NO_BALANCES, pruneChanges, unwindBalances, writeBalances } from "./nativeWrite.ts";

const SEED = firstSeed();
const MAX_UINT256 = 2n ** 256n - 1n;

function someBalance(random: Random): bigint {
  const kind = random.int(8);
  if (kind === 0) return 0n;
  if (kind === 1) return random.chance(0.5) ? MAX_UINT256 : 10n ** 18n;
  if (kind < 4) return BigInt(random.int(600));
  return BigInt(toHex(random.bytes(random.between(1, 32))));
}

type State = Map<string, bigint>;

const addressOf = (at: number) =>
  new Uint8Array(20)
    .fill(at & 255, 0, 1)
    .fill(at >> 8, 1, 2)
    .fill(at % 7, 2, 3);

async function write(database: Database, number: number, balances: readonly NativeBalance[]): Promise<void> {
  const tip = (await readNativeTip(database)) ?? NO_BALANCES;
  await transact(database, (writer) => writeBalances(writer, tip, { number, backfilled: 0 }, balances));
}

/** Counts statements and rows. */
function countRows(database: Database): () => { statements: number; rows: number } {
  let [statements, rows] = [0, 0];
  const { all } = database;
  Object.assign(database, {
    all: async (sql: string, ...parameters: Parameters<Database["all"]> extends [string, ...infer P] ? P : never) => {
      const found = await all.call(database, sql, ...parameters);
      statements++;
      rows += found.length + (sql.endsWith("OFFSET ?") ? Number(parameters.at(-1)) : 0);
      return found;
    },
  });
  return () => {
    const counted = { statements, rows };
    [statements, rows] = [0, 0];
    return counted;
  };
}

describeEngines((tested) => {
  async function open(t: { after(work: () => unknown): void }): Promise<Database> {
    const database = await tested.open();
    t.after(() => database.close());
    await migrate(database, MIGRATIONS);
    return database;
  }

  test(`accounts have the ranks that sorting them gives, after blocks and unwinds (seed ${SEED})`, async (t) => {
    for (let seed = SEED; seed < SEED + 20; seed++) {
      const random = new Random(seed);
      const database = await open(t);
      const states: State[] = [new Map()];
      // Lowest block to unwind to.
      let oldest = 1;
      for (let round = 0; round < 15; round++) {
        if (random.chance(0.2) && states.length > oldest + 1) {
          states.length = random.between(oldest + 1, states.length);
          await unwindBalances(autocommit(database), states.length - 1);
        } else {
          // A block may be written in parts.
          const isPart = random.chance(0.3) && states.length > 1;
          const state = new Map(states.at(-1)!);
          const balances = Array.from({ length: random.int(30) }, () => ({
            address: addressOf(random.int(60)),
            balance: someBalance(random),
          }));
          for (const { address, balance } of balances.toReversed()) state.set(toHex(address), balance);
          if (isPart) states[states.length - 1] = state;
          else states.push(state);
          await write(database, states.length - 1, balances);
        }
        if (random.chance(0.2) && states.length > 1) {
          oldest = random.between(oldest, states.length - 1);
          await pruneChanges(autocommit(database), (await readNativeTip(database))!, oldest + 1);
        }
        const held = [...states.at(-1)!].filter(([, balance]) => balance > 0n);
        const ordered = held.toSorted(([a, one], [b, two]) => (one === two ? (a < b ? 1 : -1) : one < two ? 1 : -1));
        const sorted = ordered.map(([, balance]) => balance);

        const reads = new NativeReads(database, random.between(1, 9));
        const tip = await reads.tip();
        const all = await reads.fromRank(0, 1000);

        const label = `seed ${seed}, round ${round}`;
        const sum = sorted.reduce((total, balance) => total + balance, 0n);
        assert.deepEqual(
          [tip?.number ?? 0, tip?.accounts ?? 0, tip?.sum ?? 0n],
          [states.length - 1, held.length, sum],
          label,
        );
        assert.deepEqual(
          all.map(({ address, balance }) => [toHex(address), balance]),
          ordered,
          label,
        );
        const [from, size] = [random.int(held.length + 2), random.between(1, 9)];
        assert.deepEqual(await reads.fromRank(from, size), all.slice(from, from + size), label);
        if (all[from] !== undefined) {
          assert.deepEqual(await reads.below(all[from], size), all.slice(from + 1, from + 1 + size), label);
        }
      }
    }
  });

  test("accounts with equal balances have one order, in whichever order they came and whatever was unwound", async (t) => {
    const [one, other] = [await open(t), await open(t)];
    const balances = Array.from({ length: 40 }, (_, at) => ({
      address: addressOf(at * 37),
      balance: BigInt(1 + (at % 3)),
    }));
    await write(one, 1, balances);
    await write(other, 1, balances.slice(20).toReversed());
    await write(other, 2, [{ address: addressOf(1), balance: 2n }, ...balances.slice(0, 9)]);
    await unwindBalances(autocommit(other), 1);
    await write(other, 2, balances);

    const all = await new NativeReads(one).fromRank(0, 100);

    assert.equal(all.length, balances.length);
    assert.deepEqual(await new NativeReads(other).fromRank(0, 100), all);
  });

  test(`any page of 50,000 accounts takes the same statements and passes over few rows (seed ${SEED})`, async (t) => {
    const random = new Random(SEED);
    const database = await open(t);
    const count = 50_000;
    const wei = () => BigInt(Math.floor(10 ** (random.fraction() * 22))) * 10_000n + BigInt(random.int(10_000));
    const balances = Array.from({ length: count }, () => ({ address: random.bytes(20), balance: wei() + 1n }));
    await write(database, 1, balances);
    const sorted = balances.map(({ balance }) => balance).sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    const reads = new NativeReads(database);
    const counted = countRows(database);
    const page = async (from: number) => {
      const found = await reads.fromRank(from, 51);
      assert.deepEqual(
        found.map(({ balance }) => balance),
        sorted.slice(from, from + 51),
      );
      return counted();
    };

    const first = await page(0);
    const others = [await page(count - 50), await page(count / 2)];
    for (let pages = 0; pages < 100; pages++) others.push(await page(random.int(count)));

    for (const { statements, rows } of others) {
      assert.equal(statements, first.statements);
      assert.ok(rows < first.rows + 1000, `${rows} rows, and ${first.rows} for the first page`);
    }
  });
});
