import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { describeEngines } from "../../../test/support/engines.ts";
import { keyEntries } from "../../../test/support/fingerprint/keyLines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { databasesAt } from "../engine/databases.ts";
import { findKeys, soughtKeys } from "./findKeys.ts";
import { allEntries } from "./keyReads.ts";
import type { KeyTable } from "./keyTable.ts";
import { readRuns } from "./runs.ts";

const KILLS = Number(process.env.ORIEL_KILLS ?? 4);
const SEED = firstSeed();
const TABLE: KeyTable = { name: "k", valueDigits: 8, fingerprintDigits: 6 };

/** Spreads numbers over all keys. */
const KEY_OF = "(value) => ((value * 2654435761) % 2 ** 20) * 2 ** 32 + ((value * 40503) % 2 ** 32)";
const keyOf = new Function(`return ${KEY_OF}`)() as (value: number) => number;

/** Adds entries without end, a commit at a time, and says how many there are after each. */
function script(url: string): string {
  const path = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  return `
    const { databasesAt } = await import(${path("../engine/databases.ts")});
    const { NO_FENCE } = await import(${path("../engine/database.ts")});
    const { keyTables } = await import(${path("../schema/tableKinds.ts")});
    const { KeyEntries } = await import(${path("./keyEntries.ts")});
    const { KeyIndex } = await import(${path("./keyIndex.ts")});
    const { KeyMerges } = await import(${path("./keyMerges.ts")});
    const { RunFilters } = await import(${path("./runFilters.ts")});
    const { countEntries } = await import(${path("./keyReads.ts")});
    const table = ${JSON.stringify(TABLE)};
    const keyOf = ${KEY_OF};
    const database = await databasesAt(${JSON.stringify(url)}).open("index");
    if (!(await database.tables()).includes("k")) {
      await database.transaction(NO_FENCE, async (writer) => {
        for (const sql of keyTables(writer.dialect, "k", true)) await writer.run(sql);
      });
    }
    const merges = new KeyMerges({ rows: 60, ratio: 3, piece: 40, paceBase: 8, paceFactor: 4, perCommit: 50 });
    const index = new KeyIndex(table, merges, new RunFilters());
    let value = await countEntries(database, table);
    console.log(value);
    for (let round = 0; ; round++) {
      const added = new KeyEntries();
      for (let at = 0; at < 1 + (round % 70); at++) added.add(keyOf(++value), value, value * 3);
      await database.transaction(NO_FENCE, (writer) => index.add(writer, added));
      console.log(value);
      while (merges.areOwed) await database.transaction(NO_FENCE, (writer) => merges.mergePiece(writer));
    }`;
}

describeEngines((tested) => {
  test(`${KILLS} kills while runs are packed and merged lose nothing that was committed (seed ${SEED})`, async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "oriel-keys-"));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const random = new Random(SEED);
    for (let kill = 0; kill < KILLS; kill++) {
      const committed = await runAndKill(script(tested.at(directory)), random.between(5, 120));
      const database = await databasesAt(tested.at(directory)).open("index");
      const entries = await keyEntries(database, TABLE);
      for await (const page of allEntries(database, TABLE))
        for (let at = 0; at < page.length; at++) assert.equal(page.fingerprint(at), page.second(at) * 3);
      const [runs, count] = [await readRuns(database, "k"), entries.length];

      const state = `kill ${kill}, seed ${SEED}: ${count} entries, ${committed} known to be committed, ${runs.length} runs`;
      assert.ok(count >= committed, state);
      const values = Array.from({ length: count }, (_, at) => at + 1);
      const byValue = ([, a]: [number, number], [, b]: [number, number]) => a - b;
      const expected = values.map((value): [number, number] => [keyOf(value), value]);
      assert.deepEqual(entries.toSorted(byValue), expected, state);
      const sought = soughtKeys([...new Set(expected.map(([key]) => key))]);
      const found = await database.loadPairs<[number, number]>(findKeys(TABLE, database.dialect), sought);
      assert.deepEqual(found.toSorted(byValue), expected, state);
      await database.close();
    }
  });
});

/** Kills the process some time after its first commit. Returns the last number it told. */
async function runAndKill(code: string, milliseconds: number): Promise<number> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let last = 0;
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    last = Number(line);
  });
  await once(lines, "line");
  await wait(milliseconds);
  child.kill("SIGKILL");
  await exited;
  return last;
}
