import type { Engine, Row } from "../engine/engine.ts";
import { IntegerPairs } from "../integerPairs.ts";
import type { HoldingChange } from "./holdings.ts";
import { writeSigned } from "./signedAmount.ts";

/** Moves holders to where their balances now put them: those with more than nothing are ranked, the others are not. */
export async function rankHolders(engine: Engine, changes: readonly HoldingChange[]): Promise<void> {
  const byToken = new IntegerPairs();
  for (const [at, { asset }] of changes.entries()) byToken.add(asset, at);
  const [gone, placed]: [Row[], Row[]] = [[], []];
  for (const [, at] of byToken.sorted()) {
    const { address, asset, before, after } = changes[at as number]!;
    if (before === after) continue;
    if (before > 0n) gone.push([asset, writeSigned(before), address]);
    if (after > 0n) placed.push([asset, writeSigned(after), address]);
  }
  await engine.remove("holder", ["token", "amount", "address"], gone);
  await engine.insert("holder", ["token", "amount", "address"], placed);
}
