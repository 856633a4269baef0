import type { Bytes } from "../../chain/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Engine, Row } from "../engine/engine.ts";
import type { Change } from "../mutableRows.ts";
import { writeSigned } from "./signedAmount.ts";
import { readIdPair } from "./tokenTables.ts";

/** Moves holders to where their balances now put them: those with more than nothing are ranked, the others are not. */
export async function rankHolders(engine: Engine, changes: readonly Change<bigint>[]): Promise<void> {
  const moved = changes.filter(({ before = 0n, after = 0n }) => before !== after && (before > 0n || after > 0n));
  const holdings = await loadHoldings(
    engine,
    moved.map(({ id }) => id),
  );
  const gone: Row[] = [];
  const placed: Row[] = [];
  for (const { id, before = 0n, after = 0n } of moved) {
    const [token, address] = holdings.get(id)!;
    if (before > 0n) gone.push([token, writeSigned(before), address]);
    if (after > 0n) placed.push([token, writeSigned(after), address]);
  }
  await engine.remove("holder", ["token", "amount", "address"], gone);
  await engine.insert("holder", ["token", "amount", "address"], placed.sort(byRank));
}

function byRank(a: Row, b: Row): number {
  return (a[0] as number) - (b[0] as number) || Buffer.compare(a[1] as Bytes, b[1] as Bytes);
}

/** The token and the address of some holdings. */
export async function loadHoldings(engine: Engine, ids: readonly number[]): Promise<Map<number, [number, number]>> {
  const rows = await engine.load("SELECT id, value FROM holding WHERE id IN ($keys)", ids);
  const holdings = new Map(rows.map(([id, value]) => [id as number, readIdPair(value as Bytes)]));
  for (const id of ids) {
    if (!holdings.has(id)) throw new ChainError("store_corrupt", `holding ${id} is not in its dictionary`);
  }
  return holdings;
}
