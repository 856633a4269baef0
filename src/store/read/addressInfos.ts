import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { DictionaryRow } from "../dictionary/dictionary.ts";
import { lookupSql } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { asBytes, mustHave } from "../rows/encoding.ts";
import type { AddressDescriber, AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import { resolvedIds } from "./addressResolver.ts";
import { loadCached } from "./snapshotCache.ts";

/** Keyed by identity of the requested arrays; unknown addresses are missing. */
export type AddressInfos = ReadonlyMap<Bytes, AddressInfo>;

const SQL = selectAddressInfo("a.id");

export async function addressInfos(
  db: Reader,
  hash: KeyedHash,
  addresses: readonly Bytes[],
  verified?: AddressDescriber,
): Promise<AddressInfos> {
  const ids = await idsOf(db, hash, addresses);
  const byId = await loadCached<number, AddressInfo>(db, "address info", new Set(ids.values()), async (missing) => {
    const rows = await db.load<[number, ...InfoColumns]>(SQL, missing);
    return rows.map(([id, ...columns]) => [id, readAddressInfo(columns)]);
  });
  const infos = new Map<Bytes, AddressInfo>();
  for (const [address, id] of ids) infos.set(address, mustHave(byId.get(id), `address ${id}`));
  for (const [address, info] of await createdInfos(db, hash, addresses, infos)) infos.set(address, info);
  if (verified !== undefined) {
    for (const [address, info] of infos) infos.set(address, verified.describe(address, info));
  }
  return infos;
}

/** Addresses known only from traces are contracts created by others. */
async function createdInfos(
  db: Reader,
  hash: KeyedHash,
  addresses: readonly Bytes[],
  infos: AddressInfos,
): Promise<[Bytes, AddressInfo][]> {
  const unknown = new Map<string, Bytes>();
  for (const address of addresses) {
    if ((infos.get(address)?.isContract ?? null) === null) unknown.set(toHex(address), address);
  }
  if (unknown.size === 0) return [];
  const created = await loadCached<string, AddressInfo>(db, "created", unknown.keys(), async (missing) => {
    const keys = missing.map((text) => hash.key(mustHave(unknown.get(text), text)));
    const rows = await db.load<DictionaryRow>(lookupSql("trace_address"), [...new Set(keys)]);
    const sql = "SELECT DISTINCT address FROM trace_creation WHERE address IN ($keys)";
    const made = await db.load<[number]>(
      sql,
      rows.map(([id]) => id),
    );
    const ids = new Set(made.map(([id]) => id));
    return rows.flatMap(([id, value]) => (ids.has(id) ? [[toHex(asBytes(value)), createdInfo()] as const] : []));
  });
  return addresses.flatMap((address) => {
    const info = created.get(toHex(address));
    return info === undefined ? [] : [[address, info] as [Bytes, AddressInfo]];
  });
}

const createdInfo = (): AddressInfo => ({
  isContract: true,
  runsCode: true,
  name: null,
  isToken: false,
  isVerified: false,
});

/** Ids of addresses resolved in this state are cached; others are looked up. */
export async function idsOf(db: Reader, hash: KeyedHash, addresses: readonly Bytes[]): Promise<Map<Bytes, number>> {
  const known = resolvedIds(db);
  const ids = new Map<Bytes, number>();
  const strangers: Bytes[] = [];
  for (const address of addresses) {
    const id = known.get(address);
    if (id === undefined) strangers.push(address);
    else ids.set(address, id);
  }
  if (strangers.length === 0) return ids;
  const keys = new Set(strangers.map((address) => hash.key(address)));
  const rows = await db.load<DictionaryRow>(lookupSql("address"), [...keys]);
  const found = new Map(rows.map(([id, value]) => [toHex(asBytes(value)), id]));
  for (const address of strangers) {
    const id = found.get(toHex(address));
    if (id !== undefined) ids.set(address, id);
  }
  return ids;
}
