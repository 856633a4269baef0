import type { Dialect } from "../engine/database.ts";
import { dictionaryTables, listTables } from "./tableKinds.ts";

/** The core stage: blocks, transactions with their receipts and logs, addresses, and the lists over them. */
export const coreSchema = (dialect: Dialect): string[] => {
  const { integer, bytes, clustered } = dialect;
  return [
    `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${clustered}`,
    `CREATE TABLE stage (name TEXT PRIMARY KEY, version ${integer} NOT NULL, block ${integer} NOT NULL, digest ${bytes} NOT NULL) ${clustered}`,
    // What rows were before a block that may be unwound.
    `CREATE TABLE journal (block ${integer} NOT NULL, source TEXT NOT NULL, id ${integer} NOT NULL, before ${bytes}, PRIMARY KEY (block, source, id)) ${clustered}`,

    `CREATE TABLE block (number ${integer} PRIMARY KEY, body ${bytes} NOT NULL, totals ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
    `CREATE TABLE block_hash (prefix ${integer} NOT NULL, number ${integer} NOT NULL, PRIMARY KEY (prefix, number)) ${clustered}`,
    // The running maximum of timestamps, for blocks whose own is below it.
    `CREATE TABLE block_time (number ${integer} PRIMARY KEY, latest ${integer} NOT NULL)`,

    `CREATE TABLE tx (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
    `CREATE TABLE tx_hash (prefix ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (prefix, position)) ${clustered}`,
    // Overflow of rows that are too long: numbered parts, and chunks of logs by the index of their first.
    `CREATE TABLE tx_part (position ${integer} NOT NULL, part ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, part)) ${clustered}`,
    `CREATE TABLE log_chunk (position ${integer} NOT NULL, first ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (position, first)) ${clustered}`,
    // How many logs of a block are in no list, as it has more than there are positions.
    `CREATE TABLE unlisted_log (block ${integer} PRIMARY KEY, count ${integer} NOT NULL)`,
    // The transactions that name a blob, by a prefix of its versioned hash.
    `CREATE TABLE blob (prefix ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (prefix, position)) ${clustered}`,
    "CREATE INDEX blob_position ON blob (position)",

    ...dictionaryTables(dialect, "address"),
    ...dictionaryTables(dialect, "signature"),
    // Ids of addresses tell of transactions and logs; miners may have neither.
    ...dictionaryTables(dialect, "miner"),
    ...["address_tx", "address_log", "signature_log", "miner_block"].flatMap((list) => listTables(dialect, list)),
    // How often each signature is in the list of an address.
    `CREATE TABLE address_log_count (owner ${integer} NOT NULL, level ${integer} NOT NULL, node ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, level, node)) ${clustered}`,

    `CREATE TABLE contract (address ${integer} NOT NULL, position ${integer} NOT NULL, PRIMARY KEY (address, position)) ${clustered}`,
    "CREATE INDEX contract_position ON contract (position)",
    `CREATE TABLE account (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
    // What was sent to addresses beside plain payments.
    `CREATE TABLE called (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  ];
};
