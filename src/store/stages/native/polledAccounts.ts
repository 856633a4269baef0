import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Reader, Writer } from "../../engine/database.ts";

const NAME = "native_polled";

/** Accounts that change outside blocks, queried after every block. */
export const MAX_POLLED_ACCOUNTS = 100;

/** Most recent first. */
export async function readPolledAccounts({ db }: { readonly db: Reader }): Promise<readonly Hex[]> {
  const [row] = await db.all<[string]>("SELECT value FROM meta WHERE name = ?", NAME);
  return row === undefined ? [] : (JSON.parse(row[0]) as Hex[]);
}

export async function recordPolledAccounts(writer: Writer, changed: readonly Hex[]): Promise<void> {
  if (changed.length === 0) return;
  const all = new Set([...changed, ...(await readPolledAccounts({ db: writer }))]);
  await writer.upsert("meta", ["name", "value"], [[NAME, JSON.stringify([...all].slice(0, MAX_POLLED_ACCOUNTS))]]);
}
