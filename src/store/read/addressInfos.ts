import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { findId, findValues, valuesByKey } from "../dictionary/findValues.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { soughtKeys } from "../keys/findKeys.ts";
import { asBytes, mustHave } from "../rows/encoding.ts";
import type { AddressDescriber, AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import { IDS_BY_ADDRESS, resolvedIds } from "./addressResolver.ts";
import { loadCached, loadCachedOne } from "./snapshotCache.ts";

/** Keyed by identity of the requested arrays; unknown addresses are missing. */
export type AddressInfos = ReadonlyMap<Bytes, AddressInfo>;

const SQL = selectAddressInfo("a.id");
const CREATED = inDialect(
  (dialect) =>
    `SELECT v.value FROM ${valuesByKey("trace_address", dialect)} AND EXISTS (SELECT 1 FROM trace_creation c WHERE c.address = v.id)`,
);
const ANY_CREATION = "SELECT 1 FROM trace_creation LIMIT 1";

export async function addressInfos(
  db: Reader,
  hash: KeyedHash,
  addresses: readonly Bytes[],
  verified?: AddressDescriber,
): Promise<AddressInfos> {
  const ids = await idsOf(db, hash, addresses);
  const unresolved = addresses.filter((address) => !ids.has(address));
  const [byId, created] = await Promise.all([
    loadCached<number, AddressInfo>(db, "address info", new Set(ids.values()), async (missing) => {
      const [rows] = await Promise.all([db.load<[number, ...InfoColumns]>(SQL, missing), findCreation(db)]);
      return rows.map(([id, ...columns]) => [id, readAddressInfo(columns)]);
    }),
    createdInfos(db, hash, unresolved),
  ]);
  const infos = new Map<Bytes, AddressInfo>(created);
  for (const [address, id] of ids) infos.set(address, mustHave(byId.get(id), `address ${id}`));
  const unclear = mayHaveCreations(db)
    ? [...ids.keys()].filter((address) => infos.get(address)?.isContract === null)
    : [];
  for (const [address, info] of await createdInfos(db, hash, unclear)) infos.set(address, info);
  if (verified !== undefined) {
    for (const [address, info] of infos) infos.set(address, verified.describe(address, info));
  }
  return infos;
}

const CREATIONS = "creations";

/** Whether traces tell of any contract; asked only beside other statements. */
function findCreation(db: Reader): Promise<boolean | undefined> {
  return loadCachedOne(db, CREATIONS, async () => (await db.all(ANY_CREATION)).length > 0, "any");
}

const mayHaveCreations = (db: Reader): boolean => db.snapshotCache<string, boolean>(CREATIONS).get("any") ?? true;

/** Those that only traces tell are contracts: another contract made them, and they have emitted nothing. */
async function createdInfos(db: Reader, hash: KeyedHash, addresses: readonly Bytes[]): Promise<[Bytes, AddressInfo][]> {
  if (addresses.length === 0) return [];
  const unknown = new Map<Hex, Bytes>(addresses.map((address) => [toHex(address), address]));
  const created = await loadCached<Hex, AddressInfo | null>(db, "created", unknown.keys(), async (missing) => {
    const keys = missing.map((text) => hash.key(mustHave(unknown.get(text), text)));
    const rows = await db.loadPairs<[Bytes]>(CREATED(db), soughtKeys([...new Set(keys)]));
    const made = new Set(rows.map(([value]) => toHex(asBytes(value))));
    return missing.map((text) => [text, made.has(text) ? createdInfo() : null] as const);
  });
  return addresses.flatMap((address) => {
    const info = created.get(toHex(address)) ?? undefined;
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

/** The id of an address that was seen on the chain. */
export async function idOf(db: Reader, hash: KeyedHash, address: Bytes): Promise<number | undefined> {
  const find = async () => (await findId(db, "address", hash, address)) ?? NO_ID;
  const id = await loadCachedOne(db, IDS_BY_ADDRESS, find, toHex(address));
  return id === NO_ID ? undefined : id;
}

const NO_ID = -1;

/** The ids of addresses that were read from rows of this state are known; the others are looked up. */
export async function idsOf(db: Reader, hash: KeyedHash, addresses: readonly Bytes[]): Promise<Map<Bytes, number>> {
  const known = resolvedIds(db);
  const ids = new Map<Bytes, number>();
  const unresolved: Bytes[] = [];
  for (const address of addresses) {
    const id = known.get(address);
    if (id === undefined) unresolved.push(address);
    else ids.set(address, id);
  }
  const [first] = unresolved;
  if (first === undefined) return ids;
  if (unresolved.length === 1) {
    const id = await idOf(db, hash, first);
    return id === undefined ? ids : ids.set(first, id);
  }
  const byHex = new Map(unresolved.map((address) => [toHex(address), address]));
  const found = await loadCached<Hex, number>(db, IDS_BY_ADDRESS, byHex.keys(), async (missing) => {
    const keys = new Set(missing.map((text) => hash.key(mustHave(byHex.get(text), text))));
    const rows = await findValues(db, "address", [...keys]);
    const known = new Map(rows.map(([id, value]) => [toHex(asBytes(value)), id]));
    return missing.map((text) => [text, known.get(text) ?? NO_ID]);
  });
  for (const address of unresolved) {
    const id = found.get(toHex(address)) ?? NO_ID;
    if (id !== NO_ID) ids.set(address, id);
  }
  return ids;
}
