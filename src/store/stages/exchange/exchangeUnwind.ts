import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Row, Writer } from "../../engine/database.ts";
import { firstPosition } from "../../rows/position.ts";
import { readChangedBlocks } from "./exchangeBlocks.ts";
import { textOf } from "./exchangeMemory.ts";
import { loadPositions } from "./exchangeRows.ts";
import type { ExchangeTip } from "./exchangeTip.ts";
import { unwindPoolObservations } from "./observe/poolObservations.ts";
import { moveOwners } from "./positionOwners.ts";

const NEWEST = Number.MAX_SAFE_INTEGER;

/** Runs inside the caller's transaction, before the core's unwind. */
export async function unwindExchangeTo(writer: Writer, tip: ExchangeTip): Promise<void> {
  const blocks = await readChangedBlocks(writer, tip.number + 1, NEWEST, NEWEST);
  const states = blocks.flatMap(({ block, pools }) => pools.map((pool): Row => [pool, block]));
  const positions = blocks.flatMap(({ block, positions }) => positions.map((id): [Bytes, number] => [id, block]));
  await moveOwnersBack(writer, new Map(positions.map(([id]) => [textOf(id), id])), tip.number);
  await writer.remove("pool_state", ["pool", "block"], states);
  await writer.remove("position", ["id", "block"], positions);
  await writer.run("DELETE FROM exchange_block WHERE number > ?", tip.number);
  await writer.run("DELETE FROM pool_creation WHERE position >= ?", firstPosition(tip.number + 1));
  await writer.run("DELETE FROM pool WHERE id > ?", tip.pools);
  await unwindPoolObservations(writer, tip.number, tip.pools);
}

/** Requires the rows of the blocks. */
async function moveOwnersBack(writer: Writer, changed: ReadonlyMap<string, Bytes>, block: number): Promise<void> {
  const byText = async (at: number) =>
    new Map((await loadPositions(writer, [...changed.values()], at)).map(([id, one]) => [textOf(id), one]));
  const [now, then] = [await byText(NEWEST), await byText(block)];
  const moves = [...changed].map(([text, id]) => ({ id, before: now.get(text), after: then.get(text) }));
  await moveOwners(writer, moves);
}
