import { AuditReport } from "./auditReport.ts";
import { BlockAudit } from "./blockAudit.ts";
import type { ReadSession } from "./session.ts";
import type { ReadTransfers } from "./tokens/tokenBlockAudit.ts";
import { TokenBlockAudit } from "./tokens/tokenBlockAudit.ts";
import { readTokenTip } from "./tokens/tokenTip.ts";

/**
 * Recomputes what follows from one block and the one before: the digests of both stages, the indexes by hash, and what the logs
 * say of transfers. Answers what does not agree.
 */
export async function verifyBlock(session: ReadSession, number: number, read: ReadTransfers): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => verifyCore(session, number, report));
  await report.gather(() => verifyTokens(session, number, read, report));
  return report.problems;
}

async function verifyCore(session: ReadSession, number: number, report: AuditReport): Promise<void> {
  const [block] = await session.blocks.range(number, 1);
  if (block?.number !== number) {
    report.expect(false, `block ${number} is missing`);
    return;
  }
  await new BlockAudit(session, report, await session.blocks.tipAt(number - 1)).block(block);
}

async function verifyTokens(
  session: ReadSession,
  number: number,
  read: ReadTransfers,
  report: AuditReport,
): Promise<void> {
  const newest = await readTokenTip(session.connection);
  if (newest === undefined || newest.number < number) return;
  const tip = await readTokenTip(session.connection, number);
  if (!report.expect(tip !== undefined, `the tokens stage has no block ${number}`)) return;
  await new TokenBlockAudit(session, read, report, await readTokenTip(session.connection, number - 1)).block(tip!);
}
