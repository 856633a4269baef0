import type { Bytes } from "../../chain/encoding/bytes.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { BlockWindow } from "../blockWindow.ts";
import { readBlockWindow } from "../blockWindow.ts";
import type { QueryContext } from "../context.ts";
import type { SummedBlock } from "./block.ts";

/** The blocks that an address made. */
export function readMinedBlocks(
  { store }: QueryContext,
  address: Bytes,
  window: BlockWindow,
): Promise<readonly SummedBlock[]> {
  return store.read(async ({ addresses, blocks }) => {
    const numbers = (await readBlockWindow(await addresses.mined(address), window)).map(blockOf);
    const found = await blocks.headers(numbers);
    return numbers.map((number) => mustHave(found.get(number), `block ${number}`));
  });
}
