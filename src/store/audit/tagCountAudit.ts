import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import type { ListReads } from "../tables/list.ts";
import { COUNTED, sizeOf, type TagCounts, writeCounts } from "../tables/tagCounts.ts";
import type { AuditReport } from "./auditReport.ts";

/** Recounts the tags of long lists, whose entries were audited before. */
export async function auditTagCounts(
  db: Reader,
  list: ListReads,
  counts: TagCounts,
  report: AuditReport,
): Promise<void> {
  let expected = 0;
  for await (const [owner, length] of list.counts()) {
    for (let level = 0; sizeOf(level) <= length; level++) {
      for (let node = 0; (node + 1) * sizeOf(level) <= length; node++) {
        expected++;
        const [stored] = await counts.rows(db, owner, level, node, node + 1);
        const isSame = stored !== undefined && equalBytes(stored, await recount(list, owner, level, node));
        report.expect(isSame, `the signatures in the logs of address ${owner} are not counted as they are`);
      }
    }
  }
  report.expect((await counts.total(db)) === expected, "there are counts of signatures of lists that are shorter");
}

async function recount(list: ListReads, owner: number, level: number, node: number): Promise<Bytes> {
  const found = new Map<number, number>();
  const size = sizeOf(level);
  for (let from = node * size; from < (node + 1) * size; from += COUNTED) {
    for (const { tag } of await list.slice(owner, from, from + COUNTED)) found.set(tag, (found.get(tag) ?? 0) + 1);
  }
  return writeCounts(found);
}
