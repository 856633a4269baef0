import { AuditReport } from "../audit/auditReport.ts";
import { BlockAudit } from "../audit/blockAudit.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { StageFeed } from "./stage.ts";

/** Recomputes a block's digests of all stages, hash indexes and log events. Returns the differences. */
export async function verifyBlock(session: CoreReads, number: number, stages: readonly StageFeed[]): Promise<string[]> {
  const report = new AuditReport();
  await report.gather(() => verifyCore(session, number, report));
  for (const { stage, events } of stages) await report.gather(() => stage.verify(session, number, events, report));
  return report.problems;
}

async function verifyCore(session: CoreReads, number: number, report: AuditReport): Promise<void> {
  const [block] = await session.blocks.range(number, 1);
  if (block?.number !== number) {
    report.expect(false, `block ${number} is missing`);
    return;
  }
  await new BlockAudit(session, report, await session.blocks.tipAt(number - 1)).block(block);
}
