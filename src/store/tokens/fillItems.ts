import type { Database } from "../engine/database.ts";
import { PositionList } from "../write/list.ts";
import { listAssets } from "./assets/assetLists.ts";
import { ITEM_TRANSFERS } from "./ledger/tokenTables.ts";
import { readTransferItem } from "./ledger/transferBody.ts";
import { NO_ITEM } from "./ledger/transferIds.ts";
import { storedTransfers } from "./ledger/transferRows.ts";
import { fillItemHolders } from "./ranks/itemHolderRanking.ts";

const TRANSFERS_AT_ONCE = 100_000;

/** Lists transfers by their items, ranks the holders of these and lists the assets of addresses, where none of it is there. */
export async function fillItems(database: Database): Promise<void> {
  const list = new PositionList(database, ITEM_TRANSFERS);
  let added = 0;
  for await (const [position, body] of storedTransfers(database, 0)) {
    const item = readTransferItem(body);
    if (item === NO_ITEM) continue;
    list.add(item, position);
    if (++added % TRANSFERS_AT_ONCE === 0) await list.flush(Number.MAX_SAFE_INTEGER);
  }
  await list.flush(Number.MAX_SAFE_INTEGER);
  await fillItemHolders(database);
  await listAssets(database);
}
