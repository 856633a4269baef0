import { HOT_SORTS, MAX_HOT_TRANSACTIONS } from "../../../query/contracts/hotContracts.ts";
import type { Parameter } from "../../openapi/operation.ts";
import { as, decimal, grouped, orNull, record, words } from "../../openapi/values.ts";
import { AddressSchema } from "../addresses/addressSchema.ts";
import { ORDERS } from "../parameters.ts";

/** The first is the default. */
export const HOT_SCALES = ["1d", "5m", "1h", "3h", "7d", "30d"] as const;

const max = grouped(MAX_HOT_TRANSACTIONS);

export const HOT_PARAMETERS: readonly Parameter[] = [
  {
    name: "scale",
    in: "query",
    schema: words(
      HOT_SCALES,
      `The time before the newest block that counts: \`5m\`, \`1h\`, \`3h\`, \`1d\` (the default), \`7d\` or \`30d\`; 413 if it has over ${max} transactions.`,
    ),
  },
  {
    name: "sort",
    in: "query",
    schema: words(HOT_SORTS, "The field to sort by: `transactions_count` or `total_gas_used`."),
  },
  { name: "order", in: "query", schema: words(ORDERS, "`desc` or `asc`: the order of `sort`.") },
];

export const HotContractSchema = record("Hot contract", {
  contract_address: as(AddressSchema, "the [address](#address) of the contract"),
  transactions_count: decimal("transactions sent to it in that time"),
  total_gas_used: decimal("the gas that they used"),
  balance: orNull(decimal("its balance in wei; null if the node does not respond")),
});
