import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../../../engine/database.ts";
import { loadCachedOne } from "../../../read/snapshotCache.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { Change } from "../../../tables/mutableRows.ts";
import type { DepositLedger } from "./depositLedger.ts";
import { depositCodec } from "./depositLedger.ts";
import { readTokenTexts, replaceTokenNames } from "./tokenNames.ts";

/** Few enough to check each for an address. */
export const MAX_COINS = 50;

const COINS = "SELECT c.token, w.value FROM wrapped_coin c JOIN wrapper w ON w.id = c.token ORDER BY c.token";

/** By id, in order of first appearance. */
export async function readCoins(db: Reader): Promise<ReadonlyMap<number, DepositLedger>> {
  const coins = await loadCachedOne(db, "wrapped coins", async () => {
    const rows = await db.all<[number, Bytes]>(COINS);
    return new Map(rows.map(([token, value]) => [token, depositCodec.read(value)]));
  });
  return coins!;
}

export async function heldCoins(db: Reader, address: AddressId): Promise<{ token: AddressId; amount: bigint }[]> {
  const coins = [...(await readCoins(db))];
  const amounts = coins.map(([token, { balances }]) => ({ token, amount: balances.get(address) ?? 0n }));
  return amounts.filter(({ amount }) => amount > 0n);
}

/** Contracts are observed with their first deposit, wrapped coins like tokens. Ended ones are not. */
export async function noteDueWrappers(
  writer: Writer,
  changes: readonly Change<DepositLedger>[],
  isToken: (id: number) => boolean,
): Promise<void> {
  if (changes.length === 0) return;
  const idsOf = (some: readonly Change<DepositLedger>[]) => some.map(({ id }) => id);
  const [open, ended] = [changes.filter(isOpen), changes.filter((change) => !isOpen(change))];
  const fresh = open.filter(({ before }) => before === undefined).map(({ id }): Row => [id, 0]);
  const seen = "SELECT token, again FROM token_observation WHERE token IN ($keys)";
  await writer.upsert("token_due", ["token", "block"], [...fresh, ...(await writer.load(seen, idsOf(open)))]);
  const tokens = idsOf(ended).filter(isToken);
  await writer.remove("wrapped_coin", ["token"], tokens.map(asRow));
  await forgetWrappers(
    writer,
    idsOf(ended).filter((id) => !isToken(id)),
  );
}

const isOpen = ({ after }: Change<DepositLedger>) => after?.phase === "open";
const asRow = (id: number): Row => [id];

/** Deletes observations of contracts that are no tokens. */
export async function forgetWrappers(writer: Writer, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await replaceTokenNames(writer, await readTokenTexts(writer, ids), []);
  for (const table of ["wrapped_coin", "token_observation", "token_due"]) {
    await writer.remove(table, ["token"], ids.map(asRow));
  }
}

/** Contracts that are open again after an unwind are observed again. */
export async function unwindWrappers(writer: Writer, changes: readonly Change<DepositLedger>[]): Promise<void> {
  await writer.run("DELETE FROM wrapped_coin WHERE token NOT IN (SELECT token FROM token_observation)");
  const again = changes.filter((change) => isOpen(change) && change.before?.phase !== "open");
  const gone = changes.filter(({ after }) => after === undefined);
  await forgetWrappers(
    writer,
    [...again, ...gone].map(({ id }) => id),
  );
  await writer.upsert(
    "token_due",
    ["token", "block"],
    again.map(({ id }): Row => [id, 0]),
  );
}
