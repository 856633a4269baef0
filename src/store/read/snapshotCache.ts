import type { Connection } from "../engine/engine.ts";

type Find<K, V> = (missing: K[]) => Promise<Iterable<readonly [K, V]>>;

/** Values by key: those that the snapshot's reads remember, and for the others what `find` answers, which is remembered. */
export async function recallAll<K, V>(
  connection: Connection,
  name: string,
  keys: Iterable<K>,
  find: Find<K, V>,
): Promise<Map<K, V>> {
  const recalled = connection.recall<K, V>(name);
  const values = new Map<K, V>();
  const missing: K[] = [];
  for (const key of keys) {
    const known = recalled.get(key);
    if (known === undefined) missing.push(key);
    else values.set(key, known);
  }
  if (missing.length === 0) return values;
  for (const [key, value] of await find(missing)) {
    recalled.set(key, value);
    values.set(key, value);
  }
  return values;
}

/** The one value of a name. */
export async function recallOne<V>(
  connection: Connection,
  name: string,
  find: () => Promise<V | undefined>,
): Promise<V | undefined> {
  const recalled = connection.recall<"one", V>(name);
  const known = recalled.get("one");
  if (known !== undefined) return known;
  const value = await find();
  if (value !== undefined) recalled.set("one", value);
  return value;
}
