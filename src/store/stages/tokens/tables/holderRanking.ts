import { itemAt } from "../../../../std/values.ts";
import type { Row, Writer } from "../../../engine/database.ts";
import { IntegerPairs } from "../../../rows/integerPairs.ts";
import { writeSigned } from "../../../rows/signedAmount.ts";
import type { HoldingChange } from "./holdings.ts";

const COLUMNS = ["token", "amount", "address"] as const;

/** Only positive balances are ranked. */
export async function rankHolders(writer: Writer, changes: readonly HoldingChange[]): Promise<void> {
  const byToken = new IntegerPairs();
  for (const [at, { asset, before, after }] of changes.entries()) if (before !== after) byToken.add(asset, at);
  await writer.remove("holder", COLUMNS, ranks(changes, byToken, "before"));
  await writer.insert("holder", COLUMNS, ranks(changes, byToken, "after"));
}

function* ranks(changes: readonly HoldingChange[], order: IntegerPairs, moment: "before" | "after"): Iterable<Row> {
  for (const [token, at] of order.sorted()) {
    const change = itemAt(changes, at);
    if (change[moment] > 0n) yield [token, writeSigned(change[moment]), change.address];
  }
}
