import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { RankedBalance } from "../../store/stages/native/nativeReads.ts";
import type { RankCursor } from "../pages.ts";
import { MAX_RANKED } from "./rankKeys.ts";

const ADDRESSES = 2n ** 160n;
const MAX_ADDRESS = ADDRESSES - 1n;

/** Richest first; ties by descending address, so that every index has the same order. */
export function accountKey({ address, balance }: RankedBalance): RankCursor["key"] {
  return [(MAX_RANKED - balance) * ADDRESSES + MAX_ADDRESS - uintToBigInt(address), 0];
}

/** The account of a cursor, whatever its current rank. */
export function accountAt({ key: [key] }: RankCursor): RankedBalance {
  const [fromRichest, fromHighest] = [key / ADDRESSES, key % ADDRESSES];
  const address = Buffer.from((MAX_ADDRESS - fromHighest).toString(16).padStart(40, "0"), "hex");
  return { balance: fromRichest > MAX_RANKED ? 0n : MAX_RANKED - fromRichest, address };
}
