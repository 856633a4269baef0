import type { AuditReport } from "../auditReport.ts";
import type { Engine, Value } from "../engine/engine.ts";
import type { RankedState } from "./tokenRanking.ts";
import { tokenRanks } from "./tokenRanking.ts";

const AT_ONCE = 10_000;

/** Tokens are ranked by their holders, each in the list of all and in that of its standard, and nowhere else. */
export async function auditTokenRanks(
  engine: Engine,
  report: AuditReport,
  expected: ReadonlyMap<number, RankedState>,
): Promise<void> {
  const left = new Map<number, number>();
  for (const [token, state] of expected) {
    for (const [list] of tokenRanks(token, state)) left.set(list as number, (left.get(list as number) ?? 0) + 1);
  }
  const counts = await engine.all("SELECT list, tokens FROM token_rank_count ORDER BY 1");
  const areCounted = String(counts) === String([...left].sort(([a], [b]) => a - b));
  report.expect(areCounted, "the lists of tokens are not counted as they are");
  const sql = "SELECT list, rank, token FROM token_rank WHERE (list, rank, token) > (?, ?, ?) ORDER BY 1, 2, 3 LIMIT ?";
  for (let after: Value[] = [-1, 0, 0]; ; ) {
    const rows = (await engine.all(sql, ...after, AT_ONCE)) as [number, number, number][];
    for (const row of rows) {
      const [list, , token] = row;
      const isRanked = tokenRanks(token, expected.get(token)).some((rank) => String(rank) === String(row));
      report.expect(isRanked, `token ${token} is ranked where it does not belong`);
      left.set(list, (left.get(list) ?? 0) - 1);
    }
    if (rows.length < AT_ONCE) break;
    after = rows.at(-1)!;
  }
  for (const [list, missing] of left) report.expect(missing <= 0, `${missing} tokens are not in list ${list}`);
}
