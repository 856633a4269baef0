import type { Dialect } from "../engine/database.ts";
import { dictionaryTables, keyTables, listTables } from "./tableKinds.ts";

/** Core stage: blocks, transactions with receipts and logs, addresses, and the lists over them. */
export const coreSchema = (dialect: Dialect): string[] => {
  const { integer, bytes, text, clustered, updated } = dialect;
  return [
    `CREATE TABLE meta (name ${text} PRIMARY KEY, value ${text} NOT NULL) ${clustered}`,
    `CREATE TABLE stage (name ${text} PRIMARY KEY, version ${integer} NOT NULL, block ${integer} NOT NULL, digest ${bytes} NOT NULL) ${clustered}`,
    // Undo records of blocks that may be unwound.
    `CREATE TABLE journal (block ${integer} NOT NULL, source ${text} NOT NULL, id ${integer} NOT NULL, before ${bytes}, PRIMARY KEY (block, source, id)) ${clustered}`,

    `CREATE TABLE block (number ${integer} PRIMARY KEY, body ${bytes} NOT NULL, totals ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
    ...keyTables(dialect, "block_hash"),
    // Running maximum of timestamps, where a block's own is below it.
    `CREATE TABLE block_time (number ${integer} PRIMARY KEY, latest ${integer} NOT NULL)`,
    // UTC days that have blocks, with the first of them, and how many addresses took part in their transactions.
    `CREATE TABLE active_day (day ${integer} PRIMARY KEY, first ${integer} NOT NULL, addresses ${integer} NOT NULL)${updated}`,

    `CREATE TABLE tx (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
    ...keyTables(dialect, "tx_hash"),
    // Overflow parts by number, and log chunks by first log index.
    `CREATE TABLE tx_part (position ${integer} NOT NULL, part ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, part)) ${clustered}`,
    `CREATE TABLE log_chunk (position ${integer} NOT NULL, first ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, first)) ${clustered}`,
    // Logs without a position, per block.
    `CREATE TABLE unlisted_log (block ${integer} PRIMARY KEY, count ${integer} NOT NULL)`,
    // Blob transactions, and their positions by prefix of the versioned hash.
    `CREATE TABLE blob_tx (position ${integer} PRIMARY KEY)`,
    ...keyTables(dialect, "blob_hash"),

    ...dictionaryTables(dialect, "address"),
    ...dictionaryTables(dialect, "signature"),
    // Separate from addresses, whose ids imply transactions or logs.
    ...dictionaryTables(dialect, "miner"),
    // With counters of sent transactions, and of calls received, without plain payments.
    ...listTables(dialect, "address_tx", ["sent", "called"]),
    ...["address_log", "signature_log", "miner_block"].flatMap((list) => listTables(dialect, list)),
    // Signature counts within the log list of an address.
    `CREATE TABLE address_log_count (owner ${integer} NOT NULL, level ${integer} NOT NULL, node ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, level, node)) ${clustered}`,

    `CREATE TABLE contract (address ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (address, position)) ${clustered}`,
    "CREATE INDEX contract_position ON contract (position)",
  ];
};
