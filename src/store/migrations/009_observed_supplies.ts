import type { Dialect } from "../engine/database.ts";

/** What the transfers of a token added up to at the block at which it was asked for its supply: all are asked again. */
export const observedSupplies = ({ bytes }: Dialect): string[] => [
  `ALTER TABLE token_observation ADD COLUMN ledger_supply ${bytes}`,
  "UPDATE token_observation SET supply = NULL",
  "DELETE FROM token_due",
  "INSERT INTO token_due (token, block) SELECT id, 0 FROM token",
];
