import { LruCache } from "../../std/maps.ts";
import type { Reader } from "../engine/database.ts";

type Find<K, V> = (missing: K[]) => Promise<Iterable<readonly [K, V]>>;

/** `capacity` bounds a cache of large values, of which up to twice as many are kept. */
export async function loadCached<K, V>(
  db: Reader,
  name: string,
  keys: Iterable<K>,
  find: Find<K, V>,
  capacity?: number,
): Promise<Map<K, V>> {
  const cached = capacity === undefined ? db.snapshotCache<K, V>(name) : smallCache<K, V>(db, name, capacity);
  const values = new Map<K, V>();
  const missing: K[] = [];
  for (const key of keys) {
    const known = cached.get(key);
    if (known === undefined) missing.push(key);
    else values.set(key, known);
  }
  if (missing.length === 0) return values;
  for (const [key, value] of await find(missing)) {
    cached.set(key, value);
    values.set(key, value);
  }
  return values;
}

function smallCache<K, V>(db: Reader, name: string, capacity: number): LruCache<K, V> {
  const caches = db.snapshotCache<"one", LruCache<K, V>>(name);
  const known = caches.get("one");
  if (known !== undefined) return known;
  const cache = new LruCache<K, V>(capacity);
  caches.set("one", cache);
  return cache;
}

/** Loads in flight, by key. */
const LOADING = new WeakMap<object, Map<string, Promise<unknown>>>();

/** One value: that of a name, or of a key under it. Those who ask while it is loaded share the statement. */
export async function loadCachedOne<V>(
  db: Reader,
  name: string,
  find: () => Promise<V | undefined>,
  key = "one",
): Promise<V | undefined> {
  const cached = db.snapshotCache<string, V>(name);
  const known = cached.get(key);
  if (known !== undefined) return known;
  const loading = (LOADING.get(cached) ?? new Map()) as Map<string, Promise<V | undefined>>;
  const shared = loading.get(key);
  // A load of another session may fail with that session.
  if (shared !== undefined) return shared.catch(find);
  const found = find();
  LOADING.set(cached, loading.set(key, found));
  try {
    const value = await found;
    if (value !== undefined) cached.set(key, value);
    return value;
  } finally {
    loading.delete(key);
  }
}
