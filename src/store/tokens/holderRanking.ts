import type { Bytes } from "../../chain/bytes.ts";
import type { Engine, Row } from "../engine/engine.ts";
import type { HoldingChange } from "./holdings.ts";
import { writeSigned } from "./signedAmount.ts";

/** Moves holders to where their balances now put them: those with more than nothing are ranked, the others are not. */
export async function rankHolders(engine: Engine, changes: Iterable<HoldingChange>): Promise<void> {
  const gone: Row[] = [];
  const placed: Row[] = [];
  for (const { address, asset, before, after } of changes) {
    if (before === after) continue;
    if (before > 0n) gone.push([asset, writeSigned(before), address]);
    if (after > 0n) placed.push([asset, writeSigned(after), address]);
  }
  await engine.remove("holder", ["token", "amount", "address"], gone.sort(byRank));
  await engine.insert("holder", ["token", "amount", "address"], placed.sort(byRank));
}

function byRank(a: Row, b: Row): number {
  return (a[0] as number) - (b[0] as number) || Buffer.compare(a[1] as Bytes, b[1] as Bytes);
}
