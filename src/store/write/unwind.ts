import type { Bytes } from "../../chain/encoding/bytes.ts";
import { prefixOf } from "../dictionary/dictionary.ts";
import type { Database, Row } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { Tip } from "../read/blocks.ts";
import { readHeaderBody } from "../rows/blockBody.ts";
import { readFacts } from "../rows/facts.ts";
import { readFullBody } from "../rows/longRows.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition } from "../rows/position.ts";
import { blobKeys } from "./blobs.ts";
import type { CoreTables } from "./core.ts";

/**
 * Removes every block above `tip`, inside the caller's transaction. Append-only rows are found through the facts of
 * the unwound blocks themselves, changed ones come back from the journal; ids given out since are free again.
 */
export async function unwindTo(tables: CoreTables, tip: Tip): Promise<void> {
  const { database } = tables;
  const cut = firstPosition(tip.number + 1);
  const facts = await collectFacts(database, cut);
  await tables.addressTransactions.cut([...facts.parties], cut);
  await tables.logs.cut([...facts.emitters], [...facts.signatures], cut);
  await tables.accounts.restore(tip.number + 1);
  await tables.called.restore(tip.number + 1);
  await database.run("DELETE FROM journal WHERE block > ?", tip.number);
  await database.remove("tx_hash", ["prefix", "position"], facts.transactionHashes);
  await database.remove("contract", ["address", "position"], facts.contracts);
  await database.remove("blob", ["prefix", "position"], facts.blobs);
  for (const table of ["tx", "tx_part", "log_chunk"]) {
    await database.run(`DELETE FROM ${table} WHERE position >= ?`, cut);
  }
  await database.run("DELETE FROM unlisted_log WHERE block > ?", tip.number);
  await removeBlocks(tables, tip.number);
  await tables.dictionaries.addresses.cut(tip.totals.addresses);
  await tables.dictionaries.signatures.cut(tip.totals.signatures);
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

async function collectFacts(database: Database, cut: number): Promise<Facts> {
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
    database.all(sql, last === undefined ? cut : last[0] + 1, count),
  );
  for await (const rows of pages)
    for (const [position, row] of rows)
      collectTransaction(database, facts, position, await readFullBody(database, position, row));
  return facts;
}

function collectTransaction(database: Database, facts: Facts, position: Position, body: Bytes): void {
  const { transaction, parties, emitters, contract } = readFacts(database, position, body);
  facts.transactionHashes.push([prefixOf(transaction.hash), position]);
  for (const party of parties) facts.parties.add(party);
  for (const { owner, signature } of emitters) {
    facts.emitters.add(owner);
    facts.signatures.add(signature);
  }
  if (contract !== undefined) facts.contracts.push([contract, position]);
  for (const key of blobKeys(transaction)) facts.blobs.push([key, position]);
}

async function removeBlocks({ database, miners }: CoreTables, keep: number): Promise<void> {
  const rows = await database.all<[number, Bytes]>("SELECT number, body FROM block WHERE number > ?", keep);
  const headers = rows.map(([number, body]) => readHeaderBody(number, body).header);
  await miners.cut(keep + 1, headers);
  await database.remove(
    "block_hash",
    ["prefix", "number"],
    headers.map(({ hash, number }): Row => [prefixOf(hash), number]),
  );
  await database.run("DELETE FROM block_time WHERE number > ?", keep);
  await database.run("DELETE FROM block WHERE number > ?", keep);
}
