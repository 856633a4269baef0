import type { AuditReport } from "../../../audit/auditReport.ts";
import type { IdRange } from "../../../audit/idRange.ts";
import { rowBounds } from "../../../audit/idRange.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { RankedState } from "../tables/tokenRanking.ts";
import { tokenRanks } from "../tables/tokenRanking.ts";

const BATCH_SIZE = 10_000;

/** Each token is in the overall list and in its standard's, and nowhere else. */
export class TokenRankAudit {
  readonly #db: Reader;
  readonly #report: AuditReport;
  readonly #tokens = new Map<number, number>();
  readonly #found = new Map<number, number>();

  constructor(db: Reader, report: AuditReport) {
    this.#db = db;
    this.#report = report;
  }

  async compare(range: IdRange, expected: ReadonlyMap<number, RankedState>): Promise<void> {
    for (const [token, state] of expected) for (const [list] of tokenRanks(token, state)) count(this.#tokens, list);
    const bounds = rowBounds(range);
    const sql =
      "SELECT list, rank, token FROM token_rank WHERE (list, rank, token) > (?, ?, ?) AND token BETWEEN ? AND ? ORDER BY 1, 2, 3 LIMIT ?";
    const pages = keysetPages<[number, number, number]>(BATCH_SIZE, (last = [-1, 0, 0], count) =>
      this.#db.all(sql, ...last, ...bounds, count),
    );
    for await (const rows of pages)
      for (const row of rows) {
        const [list, , token] = row;
        const isRanked = tokenRanks(token, expected.get(token)).some((rank) => String(rank) === String(row));
        this.#report.expect(isRanked, `token ${token} is ranked where it does not belong`);
        count(this.#found, list);
      }
  }

  async finish(): Promise<void> {
    const counts = await this.#db.all("SELECT list, tokens FROM token_rank_count ORDER BY 1");
    const areCounted = String(counts) === String([...this.#tokens].sort(([a], [b]) => a - b));
    this.#report.expect(areCounted, "the lists of tokens are not counted as they are");
    for (const [list, tokens] of this.#tokens) {
      const missing = tokens - (this.#found.get(list) ?? 0);
      this.#report.expect(missing <= 0, `${missing} tokens are not in list ${list}`);
    }
  }
}

function count(lists: Map<number, number>, list: number): void {
  lists.set(list, (lists.get(list) ?? 0) + 1);
}
