import { checksumAddress } from "../../chain/encoding/checksum.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { ListedPool } from "../exchange/listedPools.ts";

/** An address, the id of a pool without one, or its manager and its id. */
const POOL_ID = /^0x([0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{104})$/;

/** Public id of a pool. */
export const poolIdOf = ({ type, address, hex }: ListedPool): string =>
  isSingleton(type) ? hex : checksumAddress(address);

export function parsePoolId(text: string): Hex | undefined {
  const id = text.toLowerCase();
  return POOL_ID.test(id) ? (id as Hex) : undefined;
}
