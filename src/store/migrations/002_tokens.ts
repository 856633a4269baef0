import type { Dialect } from "../engine/database.ts";

/** The tokens stage: transfers, the lists over them, balances, and holders by value. */
export const tokens = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE token_block (number ${integer} PRIMARY KEY, totals ${bytes} NOT NULL, digest ${bytes} NOT NULL)`,
  `CREATE TABLE transfer (position ${integer} PRIMARY KEY, body ${bytes} NOT NULL)`,
  `CREATE TABLE item (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  `CREATE TABLE item_hash (prefix ${integer} NOT NULL, id ${integer} NOT NULL, PRIMARY KEY (prefix, id)) ${clustered}`,
  ...["token_transfer", "address_transfer", "token_item"].flatMap((list) => [
    `CREATE TABLE ${list}_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
    `CREATE TABLE ${list}_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  ]),
  `CREATE TABLE token (id ${integer} PRIMARY KEY, value ${bytes} NOT NULL)`,
  ...["holding", "item_holding"].flatMap((table) => [
    `CREATE TABLE ${table} (address ${integer} NOT NULL, asset ${integer} NOT NULL, held ${integer} NOT NULL, value ${bytes} NOT NULL, PRIMARY KEY (address, asset)) ${clustered}`,
    `CREATE TABLE ${table}_journal (block ${integer} NOT NULL, address ${integer} NOT NULL, asset ${integer} NOT NULL, before ${bytes}, PRIMARY KEY (block, address, asset)) ${clustered}`,
  ]),
  `CREATE TABLE holding_run (address ${integer} NOT NULL, asset ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (address, asset, ordinal)) ${clustered}`,
  `CREATE TABLE holder (token ${integer} NOT NULL, amount ${bytes} NOT NULL, address ${integer} NOT NULL, PRIMARY KEY (token, amount, address)) ${clustered}`,
];
