import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../test/support/autocommit.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { databasesAt } from "../engine/databases.ts";
import { keyTables } from "../schema/tableKinds.ts";
import { findKeys, soughtKeys } from "./findKeys.ts";
import { KeyEntries } from "./keyEntries.ts";
import { KeyIndex } from "./keyIndex.ts";
import { KeyMerges } from "./keyMerges.ts";
import type { KeyTable } from "./keyTable.ts";
import { readRuns } from "./runs.ts";

const TABLE: KeyTable = { name: "k", valueDigits: 5, fingerprintDigits: 0 };
const BATCH = 28_000;
const BATCHES = 8;

test("batches of a chain that catches up are merged in pieces below 50 ms, which a reader does not wait for", async (t) => {
  const random = new Random(firstSeed());
  const databases = databasesAt(temporaryDirectory(t));
  const database = await databases.open("index");
  await transact(database, async (writer) => {
    for (const sql of keyTables(writer.dialect, TABLE.name)) await writer.run(sql);
  });
  const reader = await databases.open("index", { readOnly: true });
  const merges = new KeyMerges();
  const index = new KeyIndex(TABLE, merges);
  const keys: number[] = [];
  const pieces: number[] = [];
  const reads: number[] = [];

  for (let batch = 0; batch < BATCHES; batch++) {
    const added = new KeyEntries();
    for (let at = 0; at < BATCH; at++) {
      keys.push(random.int(2 ** 26) * 2 ** 26 + random.int(2 ** 26));
      added.add(keys.at(-1)!, keys.length);
    }
    await transact(database, (writer) => index.add(writer, added));
    while (merges.areOwed) {
      const before = threadCpuMs();
      await transact(database, async (writer) => {
        await merges.mergePiece(writer);
        pieces.push(threadCpuMs() - before);
        const start = threadCpuMs();
        const value = 1 + random.int(keys.length);
        const sought = soughtKeys([keys[value - 1]!]);
        const found = await reader.loadPairs<[number, number]>(findKeys(TABLE, reader.dialect), sought);
        reads.push(threadCpuMs() - start);
        assert.deepEqual(found, [[keys[value - 1]!, value]]);
      });
    }
  }

  // The second longest: a garbage collection may coincide with one.
  const [piece, read] = [pieces, reads].map((times) => times.sort((a, b) => a - b).at(-2)!) as [number, number];
  t.diagnostic(`${pieces.length} pieces, the longest ${pieces.at(-1)} ms; the longest read ${reads.at(-1)} ms`);
  const runs = await readRuns(database, TABLE.name);
  assert.ok(pieces.length >= 20, `${pieces.length} pieces`);
  assert.ok(piece < 50, `a piece takes ${piece} ms`);
  assert.ok(read < 50, `a read takes ${read} ms`);
  assert.ok(runs.length <= 6, `${runs.length} runs`);
  await reader.close();
  await database.close();
});
