import type { Bytes } from "../../chain/bytes.ts";
import type { Engine } from "../engine/engine.ts";
import { firstPosition } from "../position.ts";
import { rankHolders } from "./holderRanking.ts";
import { unwindObservations } from "./observations.ts";
import { rankTokens } from "./tokenRanking.ts";
import type { TokenTables } from "./tokenTables.ts";
import type { TokenTip } from "./tokenTip.ts";
import { readTransfer } from "./transferBody.ts";

/** Removes every block above `tip` from the tokens stage, inside the caller's transaction and before the core's. */
export async function unwindTokensTo(tables: TokenTables, tip: TokenTip): Promise<void> {
  const { engine } = tables;
  const cut = firstPosition(tip.number + 1);
  const { tokens, parties } = await collectOwners(engine, cut);
  const changes = await tables.holdings.restore(tip.number + 1);
  await tables.itemHoldings.restore(tip.number + 1);
  const restored = await tables.tokens.restore(tip.number + 1);
  await rankTokens(engine, restored);
  const gone = restored.filter(({ after }) => after === undefined);
  await unwindObservations(
    engine,
    tip.number,
    gone.map(({ id }) => id),
  );
  await rankHolders(engine, changes);
  await tables.tokenTransfers.cut([...tokens], cut);
  await tables.addressTransfers.cut([...parties], cut);
  await tables.tokenItems.cut([...tokens], tip.totals.items + 1);
  await tables.items.cut(tip.totals.items);
  await engine.run("DELETE FROM transfer WHERE position >= ?", cut);
  await engine.run("DELETE FROM transfer_place WHERE block > ?", tip.number);
  await engine.run("DELETE FROM token_block WHERE number > ?", tip.number);
  tables.clear();
}

const CHUNK = 1000;

/** Whose lists may have entries above the cut. */
async function collectOwners(engine: Engine, cut: number): Promise<{ tokens: Set<number>; parties: Set<number> }> {
  const [tokens, parties] = [new Set<number>(), new Set<number>()];
  for (let from = cut; ; ) {
    const sql = "SELECT position, body FROM transfer WHERE position >= ? ORDER BY position LIMIT ?";
    const rows = await engine.all(sql, from, CHUNK);
    for (const [, body] of rows) {
      const transfer = readTransfer(body as Bytes);
      tokens.add(transfer.token);
      parties.add(transfer.from).add(transfer.to);
    }
    if (rows.length < CHUNK) return { tokens, parties };
    from = (rows[CHUNK - 1]![0] as number) + 1;
  }
}
