import { createHash } from "node:crypto";
import { transactionHash } from "../chain/block/block.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { addressLogs, addressTransactions } from "./core.ts";
import type { Engine } from "./engine/engine.ts";
import type { PositionList } from "./list.ts";
import { minerBlocks } from "./miners.ts";
import type { Store } from "./store.ts";
import { tokenLines } from "./tokens/tokenFingerprint.ts";
import type { StoredTransaction } from "./transactionBody.ts";

/**
 * A hash over everything the store says about the chain, by value and never by id: facts, lists, counters, indexes.
 * Equal fingerprints mean equal answers. A digest alone would not do: an unwind that left a counter wrong restores it.
 */
export async function fingerprint(store: Store): Promise<string> {
  const hash = createHash("sha256");
  const put = (...values: unknown[]) => hash.update(`${JSON.stringify(values, replaceBytes)}\n`);
  for await (const block of walkBlocks(store)) {
    put("block", block.header, block.sums, block.totals, block.digest);
    for (const tx of await store.transactions.inBlock(block.number, 0, block.sums.transactions))
      put("tx", describe(tx));
  }
  const names = await dictionaryValues(store.engine, "address");
  const signatures = await dictionaryValues(store.engine, "signature");
  for (const line of await listLines(addressTransactions(store.engine), names, signatures)) put("address_tx", line);
  for (const line of await listLines(addressLogs(store.engine), names, signatures)) put("address_log", line);
  const miners = await dictionaryValues(store.engine, "miner");
  for (const line of await listLines(minerBlocks(store.engine), miners, signatures)) put("miner_block", line);
  for (const [table, columns] of BY_ADDRESS) {
    const rows = await store.engine.all(`SELECT ${columns} FROM ${table}`);
    const lines = rows.map(([id, ...rest]) => JSON.stringify([names.get(id as number), ...rest], replaceBytes));
    put(table, lines.sort());
  }
  for (const table of INDEXES) put(table, await store.engine.all(`SELECT * FROM ${table} ORDER BY 1, 2`));
  for await (const line of tokenLines(store, names)) put(...line);
  for (const table of ["address", "signature", "miner"]) put(`${table}_hash`, await hashLines(store, table));
  put(
    "dictionaries",
    [names, signatures, miners].map((values) => [...values.values()].sort()),
  );
  return hash.digest("hex");
}

const BY_ADDRESS = [
  ["account", "id, value"],
  ["contract", "address, position"],
] as const;

const INDEXES = ["tx_hash", "block_hash", "block_time", "blob", "unlisted_log"] as const;

async function* walkBlocks(store: Store) {
  for (let from = 0; ; ) {
    const blocks = await store.blocks.range(from, 100);
    yield* blocks;
    if (blocks.length === 0) return;
    from = blocks[blocks.length - 1]!.number + 1;
  }
}

function describe({ position, index, transaction, receipt }: StoredTransaction): unknown {
  return [position, index, transactionHash(transaction), transaction, receipt];
}

async function dictionaryValues(engine: Engine, table: string): Promise<Map<number, string>> {
  const rows = await engine.all(`SELECT id, value FROM ${table}`);
  return new Map(rows.map(([id, value]) => [id as number, Buffer.from(value as Bytes).toString("hex")]));
}

/** The values that can be found by their key, and how: keys are the secret of a store. */
async function hashLines({ engine, hash }: Store, table: string): Promise<string[]> {
  const rows = await engine.all(`SELECT v.value, h.prefix FROM ${table}_hash h LEFT JOIN ${table} v ON v.id = h.id`);
  const shown = rows.map(([value, prefix]) => [value, value !== null && hash.key(value as Bytes) === prefix]);
  return shown.map((line) => JSON.stringify(line, replaceBytes)).sort();
}

async function listLines(list: PositionList, names: Map<number, string>, tags: Map<number, string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const { owner, count, entries } of list.owners()) {
    const shown = entries.map(({ position, tag }) => [position, tags.get(tag) ?? tag]);
    lines.push(JSON.stringify([names.get(owner), count, shown]));
  }
  return lines.sort();
}

function replaceBytes(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
