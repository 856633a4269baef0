import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { OwnedPosition } from "../../store/stages/exchange/exchangeReads.ts";
import { directId, managedId, saltedId, saltOf } from "../../store/stages/exchange/position.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { parsePoolId, poolIdOf } from "./poolId.ts";

/** Public name of a position: shares of a pool, a token of a manager, or a range in the pool itself. */
export type PositionName =
  | { readonly kind: "shares"; readonly pool: Hex }
  | { readonly kind: "token"; readonly manager: Hex; readonly tokenId: bigint }
  | { readonly kind: "range"; readonly pool: Hex; readonly ticks: readonly [number, number]; readonly salt?: Hex };

const ADDRESS = /^0x[0-9a-f]{40}$/;
const NUMBER = /^(0|[1-9][0-9]{0,77})$/;
const TICK = /^(0|-?[1-9][0-9]{0,6})$/;
const SALT = /^0x[0-9a-f]{64}$/;

/** `POOL`, `MANAGER:TOKEN`, or `POOL:LOWER:UPPER`, of V4 with `:SALT`. */
export function parsePositionName(text: string): PositionName | undefined {
  const [first = "", second = "", third, salt, ...more] = text.toLowerCase().split(":");
  const pool = parsePoolId(first);
  if (pool === undefined || more.length > 0) return undefined;
  if (!text.includes(":")) return { kind: "shares", pool };
  if (third === undefined) {
    const tokenId = NUMBER.test(second) ? BigInt(second) : 2n ** 256n;
    return ADDRESS.test(first) && tokenId < 2n ** 256n ? { kind: "token", manager: pool, tokenId } : undefined;
  }
  if (!TICK.test(second) || !TICK.test(third)) return undefined;
  const ticks = [Number(second), Number(third)] as const;
  if (salt === undefined) return { kind: "range", pool, ticks };
  return SALT.test(salt) ? { kind: "range", pool, ticks, salt: salt as Hex } : undefined;
}

export function positionNameOf(pool: ListedPool, position: OwnedPosition | undefined): string {
  if (position === undefined) return poolIdOf(pool);
  const { id, manager, tokenId, tickLower, tickUpper } = position;
  if (manager !== undefined && tokenId !== undefined) return `${checksumAddress(manager)}:${uintToBigInt(tokenId)}`;
  const salt = saltOf(id);
  return [poolIdOf(pool), tickLower, tickUpper, ...(salt === undefined ? [] : [toHex(salt)])].join(":");
}

/** Its id in the index; undefined for a range of a pool that is not listed, and for shares. */
export function storedIdOf(name: PositionName, owner: AddressBytes, pool: ListedPool | undefined): Bytes | undefined {
  if (name.kind === "token") return managedId(fromHex(name.manager), wordOf(name.tokenId));
  if (name.kind === "shares" || pool === undefined) return undefined;
  const { ticks, salt } = name;
  return salt === undefined ? directId(pool.id, owner, ...ticks) : saltedId(pool.id, owner, ticks, fromHex(salt));
}

const wordOf = (value: bigint): Bytes => fromHex(`0x${value.toString(16).padStart(64, "0")}`);
