import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { AuditReport } from "../../audit/auditReport.ts";
import type { Reader } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import type { CoreReads } from "../../read/coreReads.ts";
import { readSigned } from "../../rows/signedAmount.ts";
import { TraceReads } from "../traces/traceReads.ts";
import { countBalances } from "./nativeCounts.ts";
import { readTargets, sumCounts } from "./nativeTargets.ts";
import { readNativeTip } from "./nativeTip.ts";

const ROW_BATCH_SIZE = 1000;

/** Checks sums and counts. The balances themselves are the node's. */
export async function auditBalances(session: CoreReads): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => audit(session, report));
  return report.problems;
}

async function audit(session: CoreReads, report: AuditReport): Promise<void> {
  const { db } = session;
  const tip = await readNativeTip(db);
  const stage = (await session.stages()).find(({ name }) => name === "native_balances");
  report.expect(stage?.block === tip?.number, "the balances of accounts are not at the block that their stage names");
  const sums = await addUp(db, report);
  report.expect(sums.accounts === (tip?.accounts ?? 0), "the number of accounts with a balance is wrong");
  report.expect(sums.total === (tip?.sum ?? 0n), "what accounts have together is not the sum of what each has");
  await expectCounts(db, report, sums.counts);
  if (tip === undefined) return;
  report.expect(
    tip.backfilled <= sumCounts(await readTargets({ db })),
    "more addresses are asked about than were seen",
  );
  const traces = await new TraceReads(db, session.addressHasher).tip();
  report.expect(
    traces !== undefined && traces.number >= tip.number,
    "balances are kept above the blocks that are traced",
  );
}

interface Sums {
  readonly accounts: number;
  readonly total: bigint;
  readonly counts: ReadonlyMap<string, number>;
}

async function addUp(db: Reader, report: AuditReport): Promise<Sums> {
  const sql = "SELECT address, balance FROM native_balance WHERE address > ? ORDER BY address LIMIT ?";
  const pages = keysetPages<[Bytes, Bytes]>(ROW_BATCH_SIZE, (last, count) =>
    db.all(sql, last?.[0] ?? new Uint8Array(0), count),
  );
  let [accounts, total] = [0, 0n];
  const counts = new Map<string, number>();
  for await (const rows of pages) {
    accounts += rows.length;
    for (const [, balance] of rows) {
      const amount = report.try(() => readSigned(balance));
      report.expect(amount !== undefined && amount > 0n, "an account is kept without a balance");
      total += amount ?? 0n;
    }
    for (const [level, ofLevel] of countBalances(
      [],
      rows.map(([, balance]) => balance),
    ).entries()) {
      for (const [digits, by] of ofLevel) {
        const key = `${level + 1} ${digits}`;
        counts.set(key, (counts.get(key) ?? 0) + by);
      }
    }
  }
  return { accounts, total, counts };
}

async function expectCounts(db: Reader, report: AuditReport, expected: Sums["counts"]): Promise<void> {
  const sql = "SELECT level, digits, accounts FROM native_count";
  const rows = await db.all<[number, number, number]>(sql);
  const isSame =
    rows.length === expected.size &&
    rows.every(([level, digits, accounts]) => expected.get(`${level} ${digits}`) === accounts);
  report.expect(isSame, "accounts are not counted by the digits of their balances");
}
