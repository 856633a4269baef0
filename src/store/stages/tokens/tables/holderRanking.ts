import { itemAt } from "../../../../std/values.ts";
import type { Row, Writer } from "../../../engine/database.ts";
import { IntegerPairs } from "../../../rows/integerPairs.ts";
import { writeSigned } from "../../../rows/signedAmount.ts";
import type { HoldingChange } from "./holdings.ts";

const COLUMNS = ["token", "amount", "address"] as const;

/** Only positive balances are ranked. */
export async function rankHolders(writer: Writer, changes: readonly HoldingChange[]): Promise<void> {
  const byToken = new IntegerPairs();
  for (let at = 0; at < changes.length; at++) {
    const { asset, before, after } = itemAt(changes, at);
    if (before !== after) byToken.add(asset, at);
  }
  const moved = Array.from(byToken.leadingOrder(), (at) => itemAt(changes, byToken.second(at)));
  await writer.remove("holder", COLUMNS, ranks(moved, "before"));
  await writer.insert("holder", COLUMNS, ranks(moved, "after"));
}

function* ranks(changes: readonly HoldingChange[], moment: "before" | "after"): Iterable<Row> {
  for (const change of changes) {
    const amount = change[moment];
    if (amount > 0n) yield [change.asset, writeSigned(amount), change.address];
  }
}
