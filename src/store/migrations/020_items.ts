import type { Dialect } from "../engine/database.ts";

/**
 * The transfers of each item; who has how much of the items of ERC-1155 tokens, by value, and how many have some. Assets are
 * listed anew, with the items of all other tokens among them.
 */
export const items = ({ integer, bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE item_transfer_tail (owner ${integer} PRIMARY KEY, count ${integer} NOT NULL, body ${bytes} NOT NULL)`,
  `CREATE TABLE item_transfer_run (owner ${integer} NOT NULL, ordinal ${integer} NOT NULL, body ${bytes} NOT NULL, PRIMARY KEY (owner, ordinal)) ${clustered}`,
  `CREATE TABLE item_holder (token ${integer} NOT NULL, amount ${bytes} NOT NULL, item ${integer} NOT NULL, address ${integer} NOT NULL, PRIMARY KEY (token, amount, item, address)) ${clustered}`,
  "CREATE INDEX item_holder_item ON item_holder (item, amount, address)",
  `CREATE TABLE item_holder_count (list ${integer} NOT NULL, owner ${integer} NOT NULL, holders ${integer} NOT NULL, PRIMARY KEY (list, owner)) ${clustered}`,
  "DELETE FROM asset",
  "DELETE FROM asset_count",
];
