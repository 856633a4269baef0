import type { Writer } from "../../engine/database.ts";
import { firstPosition } from "../../rows/position.ts";
import { moveAssets, readAssetRule } from "./tables/assets.ts";
import { rankHolders } from "./tables/holderRanking.ts";
import { rankItemHolders } from "./tables/itemHolderRanking.ts";
import { unwindObservations } from "./tables/observations.ts";
import { rankTokens } from "./tables/tokenRanking.ts";
import type { TokenTables } from "./tables/tokenTables.ts";
import type { TokenTip } from "./tables/tokenTip.ts";
import { readTransfer } from "./tables/transferBody.ts";
import { NO_ITEM } from "./tables/transferIds.ts";
import { storedTransfers } from "./tables/transferRows.ts";
import { unwindWrappers } from "./tables/wrappedCoins.ts";

/** Runs inside the caller's transaction, before the core's unwind. */
export async function unwindTokensTo(writer: Writer, tables: TokenTables, tip: TokenTip): Promise<void> {
  const cut = firstPosition(tip.number + 1);
  const { tokens, parties, items } = await collectOwners(writer, cut);
  const changes = {
    tokens: await tables.holdings.restore(writer, tip.number + 1),
    items: await tables.itemHoldings.restore(writer, tip.number + 1),
  };
  // Requires the rows of tokens and items.
  const rule = await readAssetRule(writer, changes);
  await moveAssets(writer, changes, rule, Number.MAX_SAFE_INTEGER);
  await rankItemHolders(writer, changes.items, rule);
  const wrappers = await tables.wrappers.restore(writer, tip.number + 1);
  const restored = await tables.tokens.restore(writer, tip.number + 1);
  await rankTokens(writer, restored);
  const gone = restored.filter(({ after }) => after === undefined);
  await unwindObservations(
    writer,
    tip.number,
    gone.map(({ id }) => id),
  );
  await unwindWrappers(writer, wrappers);
  await rankHolders(writer, changes.tokens);
  await tables.tokenTransfers.cut(writer, [...tokens], cut);
  await tables.addressTransfers.cut(writer, [...parties], cut);
  await tables.itemTransfers.cut(writer, [...items], cut);
  await tables.tokenItems.cut(writer, [...tokens], tip.totals.items + 1);
  await tables.items.cut(writer, tip.totals.items);
  await writer.run("DELETE FROM transfer WHERE position >= ?", cut);
  await writer.run("DELETE FROM transfer_count WHERE block > ?", tip.number);
  await writer.run("DELETE FROM omitted_transfer WHERE block > ?", tip.number);
  await writer.run("DELETE FROM token_block WHERE number > ?", tip.number);
  tables.clear();
}

/** Owners of lists that may have entries above the cut. */
async function collectOwners(
  writer: Writer,
  cut: number,
): Promise<Record<"tokens" | "parties" | "items", Set<number>>> {
  const [tokens, parties, items] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for await (const [, body] of storedTransfers(writer, cut)) {
    const transfer = readTransfer(body);
    tokens.add(transfer.token);
    parties.add(transfer.from).add(transfer.to);
    if (transfer.item !== NO_ITEM) items.add(transfer.item);
  }
  return { tokens, parties, items };
}
