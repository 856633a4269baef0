import type { AuditReport } from "../../../audit/auditReport.ts";
import { ID_BATCH_SIZE, idRanges } from "../../../audit/idRange.ts";
import { ListAudit, Outlines } from "../../../audit/listAudit.ts";
import type { Reader } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import { writeSigned } from "../../../rows/signedAmount.ts";
import type { HoldingRow } from "../tables/assets.ts";
import { asHoldingChange, readAssetRule } from "../tables/assets.ts";
import { HOLDER_LISTS } from "../tables/itemHolderRanking.ts";
import { itemTransfers } from "../tables/tokenTables.ts";
import { readTransferItem } from "../tables/transferBody.ts";
import { NO_ITEM } from "../tables/transferIds.ts";
import { storedTransfers } from "../tables/transferRows.ts";

const BATCH_SIZE = 10_000;

/** Memory ratio of an item to an address. */
const ITEMS_PER_ID = 10;

/** Compares item transfer lists and holder rankings with transfers and balances, audited before. */
export async function auditItems(
  db: Reader,
  report: AuditReport,
  { items, idBatchSize = ID_BATCH_SIZE }: { readonly items: number; readonly idBatchSize?: number | undefined },
): Promise<void> {
  const lists = new ListAudit(report, itemTransfers(db), { what: "transfers", whose: "item" });
  for (const range of idRanges(items, ITEMS_PER_ID * idBatchSize)) {
    const outlines = new Outlines(range);
    for await (const [position, body] of storedTransfers(db, 0)) {
      const item = report.try(() => readTransferItem(body)) ?? NO_ITEM;
      if (item !== NO_ITEM) outlines.extend(item, position);
    }
    await lists.compare(outlines);
  }
  await lists.finish();
  await auditRanks(db, report);
}

/** Exactly one row per balance. */
async function auditRanks(db: Reader, report: AuditReport): Promise<void> {
  const sql =
    "SELECT address, asset, value FROM item_holding WHERE (address, asset) > (?, ?) ORDER BY address, asset LIMIT ?";
  const pages = keysetPages<HoldingRow>(BATCH_SIZE, (last, count) =>
    db.all(sql, last?.[0] ?? -1, last?.[1] ?? -1, count),
  );
  let ranked = 0;
  for await (const rows of pages) {
    const held = report.try(() => rows.map(asHoldingChange).filter(({ after }) => after > 0n)) ?? [];
    const { itemOf } = await readAssetRule(db, { tokens: [], items: held });
    const expected = held.filter(({ asset }) => itemOf(asset) !== undefined);
    const found = await readRanks(db, expected);
    ranked += expected.length;
    for (const { address, asset, after } of expected) {
      const isRanked = found.has(keyOf(itemOf(asset), writeSigned(after), asset, address));
      report.expect(isRanked, `address ${address} is not where its balance of item ${asset} ranks it`);
    }
  }
  const rows = await readNumber(db, "SELECT count(*) FROM item_holder");
  report.expect(rows === ranked, `there are ${rows} holders of items ranked, not ${ranked}`);
  await auditCounts(db, report);
}

async function readRanks(
  db: Reader,
  holdings: readonly { readonly asset: number; readonly address: number }[],
): Promise<Set<string>> {
  const sql = "SELECT token, amount, item, address FROM item_holder WHERE item IN ($keys)";
  const items = [...new Set(holdings.map(({ asset }) => asset))];
  const found = new Set<string>();
  for (const row of await db.load<[number, Uint8Array, number, number]>(sql, items)) found.add(keyOf(...row));
  return found;
}

function keyOf(token: number | undefined, amount: Uint8Array, item: number, address: number): string {
  return `${token} ${Buffer.from(amount).toString("hex")} ${item} ${address}`;
}

async function auditCounts(db: Reader, report: AuditReport): Promise<void> {
  for (const [list, column] of [
    [HOLDER_LISTS.tokens, "token"],
    [HOLDER_LISTS.items, "item"],
  ] as const) {
    const counted = `SELECT ${column} AS owner, count(*) AS holders FROM item_holder GROUP BY ${column}`;
    const sql = `SELECT count(*) FROM (${counted}) c JOIN item_holder_count k ON k.list = ${list} AND k.owner = c.owner AND k.holders = c.holders`;
    const equal = await readNumber(db, sql);
    const [owners, rows] = [
      await readNumber(db, `SELECT count(*) FROM (${counted}) c`),
      await readNumber(db, `SELECT count(*) FROM item_holder_count WHERE list = ${list}`),
    ];
    report.expect(equal === owners && equal === rows, `the holders of items are not counted by ${column}`);
  }
}
