import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { autocommit } from "../../../../../test/support/autocommit.ts";
import { describeEngines } from "../../../../../test/support/engines.ts";
import type { NamedToken } from "../../../../../test/support/namedTokens.ts";
import {
  indexTokenNames,
  insertTokens,
  plainSearch,
  randomText,
  randomToken,
} from "../../../../../test/support/namedTokens.ts";
import { Random } from "../../../../../test/support/random.ts";
import { firstSeed } from "../../../../../test/support/seed.ts";
import { migrate } from "../../../schema/migrate.ts";
import { MIGRATIONS } from "../../../schema/schema.ts";
import { MAX_ROWS, nameRows } from "../tables/tokenNames.ts";
import { MAX_MATCHES, MAX_NAMESAKES, MAX_SCANNED_POSITIONS, NameReads } from "./nameReads.ts";

describeEngines((tested) => {
  const SEED = firstSeed();
  const CASES = Number(process.env.ORIEL_CASES ?? 300);

  async function open(t: TestContext, tokens: readonly NamedToken[]): Promise<NameReads> {
    const engine = await tested.open();
    t.after(() => engine.close());
    await migrate(engine, MIGRATIONS);
    await insertTokens(autocommit(engine), tokens);
    await indexTokenNames(autocommit(engine));
    return new NameReads(engine);
  }

  const tokensOf = async (names: NameReads, query: string) => (await names.find(query)).map(({ token }) => token);

  test(`a search finds what a look at every name finds, in its order (seed ${SEED})`, async (t) => {
    const random = new Random(SEED);
    const tokens = Array.from({ length: 400 }, (_, at) => randomToken(random, at + 1));
    const names = await open(t, tokens);
    let matched = 0;
    for (let at = 0; at < CASES; at++) {
      const { name, symbol } = random.pick(tokens);
      const query = random.chance(0.5) ? randomText(random, 3) : (random.pick([name, symbol]) ?? "");
      const expected = plainSearch(tokens, query);

      assert.deepEqual(await tokensOf(names, query), expected, JSON.stringify(query));
      matched += expected.length;
    }
    assert.ok(matched > CASES);
  });

  const named = (token: number, symbol: string | null, name: string | null, holders = 1): NamedToken => {
    return { token, symbol, name, holders };
  };

  test("the symbol comes before the name, then beginnings, words and what is inside, each by holders", async (t) => {
    const names = await open(t, [
      named(1, "XUSDX", "Inside", 9000),
      named(2, "X", "My usd", 8000),
      named(3, "USDT", "Tether", 10),
      named(4, "Y", "USD Coin", 700),
      named(5, "Z", "Usd", 2),
      named(6, "ÜSD", "Other", 1),
      named(7, "usd", "Another", 5),
      named(8, "USD", "Copy", 5),
      named(9, null, null, 99),
    ]);

    assert.deepEqual(await tokensOf(names, " uSd\u0301 "), [7, 8, 6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await tokensOf(names, "t"), [3, 7, 6]);
    for (const query of ["", " ", "%", "_", "\\", "'", "\0", "\u0301", "🦄", "%usd%", "u_d"])
      assert.deepEqual(await tokensOf(names, query), [], query);
  });

  test("the first 32 characters of a query count, and the first 64 of a name", async (t) => {
    const long = "abcdefghij".repeat(20);
    const names = await open(t, [named(1, "L", long), named(2, "M", `${"🦄".repeat(63)}xy`)]);

    assert.deepEqual(await tokensOf(names, long), [1]);
    assert.deepEqual(await tokensOf(names, `${long.slice(0, 32)} and more`), [1]);
    assert.deepEqual(await tokensOf(names, "xy"), [2]);
    assert.deepEqual(await tokensOf(names, "y"), []);
    assert.ok(nameRows(named(1, long, [...long].reverse().join(""))).length <= MAX_ROWS);
  });

  test("no more than the best 1,000 are found, exactly so many where names repeat what is looked for", async (t) => {
    const repeated = `b${Array.from({ length: 32 }, (_, at) => `a${at.toString(36)}`).join("")}`;
    const hostile = Array.from({ length: 150 }, (_, at) => named(at + 1, "b", repeated));
    const others = Array.from({ length: 2000 }, (_, at) => named(at + 200, "b", `bab${at}`, at));
    const names = await open(t, [...hostile, ...others]);
    assert.ok(hostile.flatMap(nameRows).length > MAX_SCANNED_POSITIONS);

    const found = await tokensOf(names, "a");

    assert.equal(found.length, MAX_MATCHES);
    assert.equal(new Set(found).size, MAX_MATCHES);
    assert.equal((await tokensOf(names, "a0a1")).length, hostile.length);
    assert.deepEqual((await tokensOf(names, "bab19")).slice(0, 2), [219, 2199]);
  });

  test("of tokens with one symbol the most holders are known, of the first that were seen", async (t) => {
    const crowd = Array.from({ length: MAX_NAMESAKES + 5 }, (_, at) => named(at + 10, "MANY", null, at));
    const names = await open(t, [
      named(1, "USD", null, 3),
      named(2, "ÚSD", null, 7),
      named(3, "usdx", null, 9),
      ...crowd,
    ]);

    assert.deepEqual(
      [...(await names.maxHoldersBySymbol(["USD", "ÚSD", "usdx", "none", "Many"]))],
      [
        ["USD", 7],
        ["ÚSD", 7],
        ["usdx", 9],
        ["none", 0],
        ["Many", MAX_NAMESAKES - 1],
      ],
    );
  });
});
