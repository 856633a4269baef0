import { createHash } from "node:crypto";
import { transactionHash } from "../../../src/chain/block/block.ts";
import type { Bytes } from "../../../src/chain/encoding/bytes.ts";
import type { Reader, Row } from "../../../src/store/engine/database.ts";
import { keysetPages } from "../../../src/store/engine/keysetPages.ts";
import { BLOB_KEYS, BLOCK_KEYS, dictionaryKeys, TRANSACTION_KEYS } from "../../../src/store/keys/keyTable.ts";
import type { StoredBlock, Tip } from "../../../src/store/read/blocks.ts";
import type { StoredTransaction } from "../../../src/store/rows/transactionBody.ts";
import type { ReadSession } from "../../../src/store/session.ts";
import { STAGES } from "../../../src/store/stages.ts";
import { addressTransactions } from "../../../src/store/tables/coreTables.ts";
import type { ListReads } from "../../../src/store/tables/list.ts";
import { addressLogs, signatureLogs } from "../../../src/store/tables/logLists.ts";
import { minerBlocks } from "../../../src/store/tables/miners.ts";
import { readCounts } from "../../../src/store/tables/tagCounts.ts";
import { exchangeLines } from "./exchangeLines.ts";
import { keyEntries } from "./keyLines.ts";
import { tokenLines } from "./tokenLines.ts";
import { traceLines } from "./traceLines.ts";

/**
 * A hash over everything the index says about the chain, by value and never by id: facts, lists, counters, indexes.
 * Equal fingerprints mean equal answers. A digest alone would not do: an unwind that left a counter wrong restores it.
 */
export async function fingerprint(session: ReadSession): Promise<string> {
  const hash = createHash("sha256");
  const put = (...values: unknown[]) => hash.update(`${JSON.stringify(values, replaceBytes)}\n`);
  for await (const block of walkBlocks(session)) {
    put("block", block.header, block.sums, block.totals, block.digest);
    for (const tx of await session.transactions.inBlock(block.number, 0, block.sums.transactions))
      put("tx", describe(tx));
  }
  const names = await dictionaryValues(session.db, "address");
  const signatures = await dictionaryValues(session.db, "signature");
  for (const line of await listLines(addressTransactions(session.db), names, signatures)) put("address_tx", line);
  for (const line of await listLines(addressLogs(session.db), names, signatures)) put("address_log", line);
  for (const line of await listLines(signatureLogs(session.db), signatures, signatures)) put("signature_log", line);
  put("address_log_count", await countLines(session.db, names, signatures));
  const miners = await dictionaryValues(session.db, "miner");
  for (const line of await listLines(minerBlocks(session.db), miners, signatures)) put("miner_block", line);
  for (const [table, columns] of BY_ADDRESS) {
    const rows = await session.db.all<[number, ...Row]>(`SELECT ${columns} FROM ${table}`);
    const lines = rows.map(([id, ...rest]) => JSON.stringify([names.get(id), ...rest], replaceBytes));
    put(table, lines.sort());
  }
  for (const table of INDEXES) put(table, await session.db.all(`SELECT * FROM ${table} ORDER BY 1`));
  for (const table of KEYS) put(table.name, await keyEntries(session.db, table));
  for (const { name } of STAGES) {
    const lines = STAGE_LINES[name];
    if (lines === undefined) throw new Error(`the fingerprint does not cover the stage ${name}`);
    for await (const line of lines(session, names)) put(...line);
  }
  for (const table of ["address", "signature", "miner"]) put(`${table}_hash`, await hashLines(session, table));
  put(
    "dictionaries",
    [names, signatures, miners].map((values) => [...values.values()].sort()),
  );
  return hash.digest("hex");
}

type Lines = (session: ReadSession, addresses: ReadonlyMap<number, string>) => AsyncIterable<unknown[]>;

/** Native balances come from a node and may differ between two indexes of the same chain. */
const STAGE_LINES: Readonly<Record<string, Lines>> = {
  tokens: tokenLines,
  exchange: exchangeLines,
  traces: traceLines,
  native_balances: async function* () {},
};

const BY_ADDRESS = [
  ["address_tx_tail", "owner, sent, called"],
  ["contract", "address, position"],
] as const;

const INDEXES = ["block_time", "active_day", "blob_tx", "unlisted_log"] as const;
const KEYS = [TRANSACTION_KEYS, BLOCK_KEYS, BLOB_KEYS];

async function* walkBlocks(session: ReadSession) {
  const pages = keysetPages<Tip & StoredBlock>(100, (last, count) =>
    session.blocks.range((last?.number ?? -1) + 1, count),
  );
  for await (const blocks of pages) yield* blocks;
}

function describe({ position, index, transaction, receipt }: StoredTransaction): unknown {
  return [position, index, transactionHash(transaction), transaction, receipt];
}

async function dictionaryValues(db: Reader, table: string): Promise<Map<number, string>> {
  const rows = await db.all<[number, Bytes]>(`SELECT id, value FROM ${table}`);
  return new Map(rows.map(([id, value]) => [id, Buffer.from(value).toString("hex")]));
}

/** The values that can be found by their key, and how: keys are the secret of a store. */
async function hashLines({ db, addressHasher: hash }: ReadSession, table: string): Promise<string[]> {
  const values = new Map(await db.all<[number, Bytes]>(`SELECT id, value FROM ${table}`));
  const shown = (await keyEntries(db, dictionaryKeys(table))).map(([key, id]) => {
    const value = values.get(id);
    return [value, value !== undefined && hash.key(value) === key];
  });
  return shown.map((line) => JSON.stringify(line, replaceBytes)).sort();
}

async function listLines(
  list: ListReads<string, string>,
  names: Map<number, string>,
  tags: Map<number, string>,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const { owner, count, entries } of list.owners()) {
    const shown = entries.map(({ position, tag }) => [position, tags.get(tag) ?? tag]);
    lines.push(JSON.stringify([names.get(owner), count, shown]));
  }
  return lines.sort();
}

async function countLines(db: Reader, names: Map<number, string>, tags: Map<number, string>) {
  const rows = await db.all<[number, number, number, Bytes]>("SELECT owner, level, node, body FROM address_log_count");
  const lines = rows.map(([owner, level, node, body]) => {
    const counts = [...readCounts(body)].map(([tag, count]) => `${tags.get(tag) ?? tag} ${count}`).sort();
    return `${names.get(owner)} ${level} ${node} ${counts}`;
  });
  return lines.sort();
}

/** Buffers are converted before a JSON replacer sees them. */
function replaceBytes(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  const bytes = this[key];
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex") : value;
}
