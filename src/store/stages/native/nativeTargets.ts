import type { Reader, Writer } from "../../engine/database.ts";

/** How many addresses each dictionary of them has. */
export type AddressCounts = readonly [addresses: number, miners: number, traced: number];

export const sumCounts = (counts: AddressCounts): number => counts.reduce((sum, count) => sum + count, 0);

const NAME = "native_targets";
const NONE: AddressCounts = [0, 0, 0];

/** The addresses that were there when balances began to be kept. */
export async function readTargets({ db }: { readonly db: Reader }): Promise<AddressCounts> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = ?", NAME);
  return row === undefined ? NONE : (JSON.parse(row[0]) as AddressCounts);
}

export function writeTargets(writer: Writer, targets: AddressCounts): Promise<void> {
  return writer.upsert("meta", ["name", "value"], [[NAME, JSON.stringify(targets)]]);
}

/** Forgets all that is kept of balances, in the caller's transaction. */
export async function clearBalances(writer: Writer): Promise<void> {
  for (const table of ["native_balance", "native_count", "native_change"]) await writer.run(`DELETE FROM ${table}`);
  await writer.run("DELETE FROM meta WHERE name IN ('native_targets', 'native_unnamed')");
}
