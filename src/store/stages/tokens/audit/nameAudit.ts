import type { AuditReport } from "../../../audit/auditReport.ts";
import type { Reader } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { nameRows, walkTokenTexts } from "../tables/tokenNames.ts";

/** Name index rows must match the observations. */
export async function auditTokenNames(db: Reader, report: AuditReport): Promise<void> {
  const sql = "SELECT 1 FROM token_name WHERE place = ? AND text = ? AND token = ?";
  let expected = 0;
  for await (const observed of walkTokenTexts(db)) {
    for (const texts of observed) {
      const rows = nameRows(texts);
      expected += rows.length;
      const found = await Promise.all(rows.map((row) => db.all(sql, ...row)));
      const isFound = found.every(([row]) => row !== undefined);
      report.expect(isFound, `token ${texts.token} is not found by its name and symbol`);
    }
  }
  const count = await readNumber(db, "SELECT count(*) FROM token_name");
  report.expect(count === expected, `there are ${count} rows of token_name, not ${expected}`);
}
