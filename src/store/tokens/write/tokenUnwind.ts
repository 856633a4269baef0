import type { Database } from "../../engine/database.ts";
import { firstPosition } from "../../rows/position.ts";
import { moveAssets, readAssetRule } from "../assets/assets.ts";
import type { TokenTables } from "../ledger/tokenTables.ts";
import type { TokenTip } from "../ledger/tokenTip.ts";
import { readTransfer } from "../ledger/transferBody.ts";
import { NO_ITEM } from "../ledger/transferIds.ts";
import { storedTransfers } from "../ledger/transferRows.ts";
import { unwindObservations } from "../observe/observations.ts";
import { rankHolders } from "../ranks/holderRanking.ts";
import { rankItemHolders } from "../ranks/itemHolderRanking.ts";
import { rankTokens } from "../ranks/tokenRanking.ts";
import { unwindWrappers } from "../wraps/wrappedCoins.ts";

/** Removes every block above `tip` from the tokens stage, inside the caller's transaction and before the core's. */
export async function unwindTokensTo(tables: TokenTables, tip: TokenTip): Promise<void> {
  const { database } = tables;
  const cut = firstPosition(tip.number + 1);
  const { tokens, parties, items } = await collectOwners(database, cut);
  const changes = {
    tokens: await tables.holdings.restore(tip.number + 1),
    items: await tables.itemHoldings.restore(tip.number + 1),
  };
  // As long as the tokens and items are there that the blocks brought.
  const rule = await readAssetRule(database, changes);
  await moveAssets(database, changes, rule, Number.MAX_SAFE_INTEGER);
  await rankItemHolders(database, changes.items, rule);
  const wrappers = await tables.wrappers.restore(tip.number + 1);
  const restored = await tables.tokens.restore(tip.number + 1);
  await rankTokens(database, restored);
  const gone = restored.filter(({ after }) => after === undefined);
  await unwindObservations(
    database,
    tip.number,
    gone.map(({ id }) => id),
  );
  await unwindWrappers(database, wrappers);
  await rankHolders(database, changes.tokens);
  await tables.tokenTransfers.cut([...tokens], cut);
  await tables.addressTransfers.cut([...parties], cut);
  await tables.itemTransfers.cut([...items], cut);
  await tables.tokenItems.cut([...tokens], tip.totals.items + 1);
  await tables.items.cut(tip.totals.items);
  await database.run("DELETE FROM transfer WHERE position >= ?", cut);
  await database.run("DELETE FROM transfer_place WHERE block > ?", tip.number);
  await database.run("DELETE FROM omitted_transfer WHERE block > ?", tip.number);
  await database.run("DELETE FROM token_block WHERE number > ?", tip.number);
  tables.clear();
}

/** Whose lists may have entries above the cut. */
async function collectOwners(
  database: Database,
  cut: number,
): Promise<Record<"tokens" | "parties" | "items", Set<number>>> {
  const [tokens, parties, items] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for await (const [, body] of storedTransfers(database, cut)) {
    const transfer = readTransfer(body);
    tokens.add(transfer.token);
    parties.add(transfer.from).add(transfer.to);
    if (transfer.item !== NO_ITEM) items.add(transfer.item);
  }
  return { tokens, parties, items };
}
