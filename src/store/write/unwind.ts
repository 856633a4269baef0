import type { Bytes } from "../../chain/encoding/bytes.ts";
import { settleAll } from "../../std/async.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Row, Writer } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { Tip } from "../read/blocks.ts";
import { readFacts } from "../read/facts.ts";
import { readHeaderBody } from "../rows/blockBody.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition } from "../rows/position.ts";
import { blobKeys } from "../tables/blobs.ts";
import type { CoreTables } from "../tables/coreTables.ts";
import { readFullBody } from "../tables/overflowRows.ts";

/**
 * Removes every block above `tip`, inside the caller's transaction. Append-only rows are found through the facts of the
 * removed blocks, mutable ones are restored from the journal, and new ids are released.
 */
export async function unwindTo(writer: Writer, tables: CoreTables, tip: Tip): Promise<void> {
  const cut = firstPosition(tip.number + 1);
  const facts = await collectFacts(writer, cut);
  const counters = await settleAll([tables.sent, tables.called].map((column) => column.before(writer, tip.number + 1)));
  const lists = await tables.addressTransactions.cut(writer, [...facts.parties], cut, counters);
  await tables.days.cut(writer, tip.latest, lists);
  await tables.logs.cut(writer, [...facts.emitters], [...facts.signatures], cut);
  await writer.run("DELETE FROM journal WHERE block > ?", tip.number);
  await tables.keys.transactions.cut(writer, facts.transactionHashes, cut - 1);
  await writer.remove("contract", ["address", "position"], facts.contracts);
  await tables.keys.blobs.cut(writer, facts.blobs, cut - 1);
  for (const table of ["tx", "tx_part", "log_chunk", "blob_tx"]) {
    await writer.run(`DELETE FROM ${table} WHERE position >= ?`, cut);
  }
  await writer.run("DELETE FROM unlisted_log WHERE block > ?", tip.number);
  await removeBlocks(writer, tables, tip.number);
  await tables.dictionaries.addresses.cut(writer, tip.totals.addresses);
  await tables.dictionaries.signatures.cut(writer, tip.totals.signatures);
  tables.clear();
}

interface Facts {
  /** Owners of lists that may have entries above the cut. */
  readonly parties: Set<number>;
  readonly emitters: Set<number>;
  readonly signatures: Set<number>;
  readonly transactionHashes: Row[];
  readonly contracts: Row[];
  readonly blobs: Row[];
}

const CHUNK = 500;

async function collectFacts(writer: Writer, cut: number): Promise<Facts> {
  const facts: Facts = {
    parties: new Set(),
    emitters: new Set(),
    signatures: new Set(),
    transactionHashes: [],
    contracts: [],
    blobs: [],
  };
  const sql = "SELECT position, body FROM tx WHERE position >= ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[number, Bytes]>(CHUNK, (last, count) =>
    writer.all(sql, last === undefined ? cut : last[0] + 1, count),
  );
  for await (const rows of pages)
    for (const [position, row] of rows)
      collectTransaction(writer, facts, position, await readFullBody(writer, position, row));
  return facts;
}

function collectTransaction(writer: Writer, facts: Facts, position: Position, body: Bytes): void {
  const { transaction, parties, emitters, contract } = readFacts(writer, position, body);
  facts.transactionHashes.push([prefixOf(transaction.hash), position]);
  for (const party of parties) facts.parties.add(party);
  for (const { owner, signature } of emitters) {
    facts.emitters.add(owner);
    facts.signatures.add(signature);
  }
  if (contract !== undefined) facts.contracts.push([contract, position]);
  for (const key of blobKeys(transaction)) facts.blobs.push([key, position]);
}

async function removeBlocks(writer: Writer, { miners, keys }: CoreTables, keep: number): Promise<void> {
  const rows = await writer.all<[number, Bytes]>("SELECT number, body FROM block WHERE number > ?", keep);
  const headers = rows.map(([number, body]) => readHeaderBody(number, body).header);
  await miners.cut(writer, keep + 1, headers);
  const hashes = headers.map(({ hash, number }): Row => [prefixOf(hash), number]);
  await keys.blocks.cut(writer, hashes, keep);
  await writer.run("DELETE FROM block_time WHERE number > ?", keep);
  await writer.run("DELETE FROM block WHERE number > ?", keep);
}
