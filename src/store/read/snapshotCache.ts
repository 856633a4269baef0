import type { Reader } from "../engine/database.ts";

type Find<K, V> = (missing: K[]) => Promise<Iterable<readonly [K, V]>>;

export async function loadCached<K, V>(
  db: Reader,
  name: string,
  keys: Iterable<K>,
  find: Find<K, V>,
): Promise<Map<K, V>> {
  const cached = db.snapshotCache<K, V>(name);
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

export async function loadCachedOne<V>(
  db: Reader,
  name: string,
  find: () => Promise<V | undefined>,
): Promise<V | undefined> {
  const cached = db.snapshotCache<"one", V>(name);
  const known = cached.get("one");
  if (known !== undefined) return known;
  const value = await find();
  if (value !== undefined) cached.set("one", value);
  return value;
}
