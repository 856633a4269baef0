import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { VerifiedContracts } from "../contracts/verifiedContracts.ts";
import type { DictionaryRow } from "../dictionary/dictionary.ts";
import { lookupSql } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Connection } from "../engine/engine.ts";
import { asBytes, mustHave } from "../rows/encoding.ts";
import type { AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import { resolvedIds } from "./addressResolver.ts";
import { loadCached } from "./snapshotCache.ts";

/** By the very bytes that were asked about, not by others like them; those the chain has not told us of are absent. */
export type AddressInfos = ReadonlyMap<Bytes, AddressInfo>;

const SQL = selectAddressInfo("a.id");

export async function addressInfos(
  connection: Connection,
  hash: KeyedHash,
  addresses: readonly Bytes[],
  verified?: VerifiedContracts,
): Promise<AddressInfos> {
  const ids = await idsOf(connection, hash, addresses);
  const byId = await loadCached<number, AddressInfo>(
    connection,
    "address info",
    new Set(ids.values()),
    async (missing) => {
      const rows = await connection.load<[number, ...InfoColumns]>(SQL, missing);
      return rows.map(([id, ...columns]) => [id, readAddressInfo(columns)]);
    },
  );
  const infos = new Map<Bytes, AddressInfo>();
  for (const [address, id] of ids) {
    const info = mustHave(byId.get(id), `address ${id}`);
    infos.set(address, verified === undefined ? info : verified.describe(address, info));
  }
  return infos;
}

/** The ids of addresses that were read from rows of this state are known; the others are looked up. */
export async function idsOf(
  connection: Connection,
  hash: KeyedHash,
  addresses: readonly Bytes[],
): Promise<Map<Bytes, number>> {
  const known = resolvedIds(connection);
  const ids = new Map<Bytes, number>();
  const strangers: Bytes[] = [];
  for (const address of addresses) {
    const id = known.get(address);
    if (id === undefined) strangers.push(address);
    else ids.set(address, id);
  }
  if (strangers.length === 0) return ids;
  const keys = new Set(strangers.map((address) => hash.key(address)));
  const rows = await connection.load<DictionaryRow>(lookupSql("address"), [...keys]);
  const found = new Map(rows.map(([id, value]) => [toHex(asBytes(value)), id]));
  for (const address of strangers) {
    const id = found.get(toHex(address));
    if (id !== undefined) ids.set(address, id);
  }
  return ids;
}
