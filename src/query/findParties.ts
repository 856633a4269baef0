import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { AddressInfo } from "../store/read/addressInfo.ts";
import type { KnownToken } from "../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "./context.ts";

/** Infos of the addresses in a text, by their hex. */
export interface Parties {
  readonly infos: ReadonlyMap<Hex, AddressInfo>;
  readonly tokens: ReadonlyMap<Hex, KnownToken>;
}

/** Of the first 100. */
const MAX_PARTIES = 100;

export function findParties({ store }: QueryContext, addresses: readonly Bytes[]): Promise<Parties> {
  const unique = [...new Map(addresses.map((address) => [toHex(address), address])).values()].slice(0, MAX_PARTIES);
  return store.read(async (session) => {
    const [ids, found] = await Promise.all([session.addresses.ids(unique), session.addresses.infos(unique)]);
    const known = await session.tokens.byId([...ids.values()]);
    return {
      infos: new Map([...found].map(([address, info]) => [toHex(address), info])),
      tokens: new Map([...known.values()].map((token) => [toHex(token.address), token])),
    };
  });
}
