import { AuditReport } from "./auditReport.ts";
import { BlockAudit } from "./blockAudit.ts";
import type { Store } from "./store.ts";
import type { ReadTransfers } from "./tokens/tokenBlockAudit.ts";
import { TokenBlockAudit } from "./tokens/tokenBlockAudit.ts";
import { readTokenTip } from "./tokens/tokenTip.ts";

/**
 * Recomputes what follows from one block and the one before: the digests of both stages, the indexes by hash, and what the logs
 * say of transfers. Answers what does not agree.
 */
export function verifyBlock(store: Store, number: number, read: ReadTransfers): Promise<string[]> {
  return store.read(async () => {
    const report = new AuditReport();
    await report.gather(() => verifyCore(store, number, report));
    await report.gather(() => verifyTokens(store, number, read, report));
    return report.problems;
  });
}

async function verifyCore(store: Store, number: number, report: AuditReport): Promise<void> {
  const [block] = await store.blocks.range(number, 1);
  if (block?.number !== number) {
    report.expect(false, `block ${number} is missing`);
    return;
  }
  await new BlockAudit(store, report, await store.blocks.tipAt(number - 1)).block(block);
}

async function verifyTokens(store: Store, number: number, read: ReadTransfers, report: AuditReport): Promise<void> {
  const newest = await readTokenTip(store.engine);
  if (newest === undefined || newest.number < number) return;
  const tip = await readTokenTip(store.engine, number);
  if (!report.expect(tip !== undefined, `the tokens stage has no block ${number}`)) return;
  await new TokenBlockAudit(store, read, report, await readTokenTip(store.engine, number - 1)).block(tip!);
}
