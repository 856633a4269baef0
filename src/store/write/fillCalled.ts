import type { Database, Row } from "../engine/database.ts";
import type { Called } from "../rows/called.ts";
import { addCalled, calledCodec, NO_CALLS } from "../rows/called.ts";
import { storedFacts } from "../rows/facts.ts";
import { blockOf, MAX_BLOCK } from "../rows/position.ts";

/** Derives the counters from the transactions that are there, and what they were before each block that can be unwound. */
export async function fillCalled(database: Database): Promise<void> {
  const sums = new Map<number, Called>();
  const journal: Row[] = [];
  const journaled = new Map<number, number>();
  const [from] = await database.all<[string]>("SELECT value FROM meta WHERE name = 'journal_from'");
  const journalFrom = Number(from?.[0] ?? 0);
  for await (const { call, position } of storedFacts(database, 0, MAX_BLOCK)) {
    if (call === undefined) continue;
    const [block, before] = [blockOf(position), sums.get(call.id)];
    if (block >= journalFrom && journaled.get(call.id) !== block) {
      journal.push([block, "called", call.id, before === undefined ? null : calledCodec.write(before)]);
      journaled.set(call.id, block);
    }
    sums.set(call.id, addCalled(before ?? NO_CALLS, call));
  }
  const rows = [...sums].sort(([one], [other]) => one - other);
  await database.insert(
    "called",
    ["id", "value"],
    rows.map(([id, sum]): Row => [id, calledCodec.write(sum)]),
  );
  await database.insert("journal", ["block", "source", "id", "before"], journal);
}
