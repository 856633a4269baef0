import type { Bytes } from "../../chain/encoding/bytes.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import { readInParts } from "../readInParts.ts";
import type { SummedBlock } from "./block.ts";

export async function readMinedBlocks(
  { store }: QueryContext,
  address: Bytes,
  window: BlockWindow,
): Promise<readonly SummedBlock[]> {
  const find = async () => ({ list: ({ addresses }: ReadSession) => addresses.mined(address), read: readBlocks });
  const { items } = await readInParts(store, window.toBlock, (parts) => readBlockWindow(parts, window, find));
  return items;
}

async function readBlocks({ blocks }: ReadSession, positions: readonly number[]): Promise<SummedBlock[]> {
  const numbers = positions.map(blockOf);
  const found = await blocks.headers(numbers);
  return numbers.map((number) => mustHave(found.get(number), `block ${number}`));
}
