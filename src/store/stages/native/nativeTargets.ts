import type { Reader, Writer } from "../../engine/database.ts";

export type AddressCounts = readonly [addresses: number, miners: number, traced: number];

export const sumCounts = (counts: AddressCounts): number => counts.reduce((sum, count) => sum + count, 0);

const NAME = "native_targets";
const NONE: AddressCounts = [0, 0, 0];

/** Addresses known when the stage was initialized. */
export async function readTargets({ db }: { readonly db: Reader }): Promise<AddressCounts> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = ?", NAME);
  return row === undefined ? NONE : (JSON.parse(row[0]) as AddressCounts);
}

export function writeTargets(writer: Writer, targets: AddressCounts): Promise<void> {
  return writer.upsert("meta", ["name", "value"], [[NAME, JSON.stringify(targets)]]);
}

export async function clearBalances(writer: Writer): Promise<void> {
  for (const table of ["native_balance", "native_count", "native_change"]) await writer.run(`DELETE FROM ${table}`);
  await writer.run("DELETE FROM meta WHERE name IN ('native_targets', 'native_polled')");
}
