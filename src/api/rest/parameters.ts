import { TRANSACTION_TYPES } from "../../query/transactions/transactionTypes.ts";
import type { Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { address, grouped, words } from "../openapi/values.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./params.ts";

const HASH = "^0x[0-9a-fA-F]{64}$";
const ADDRESS = "^0x[0-9a-fA-F]{40}$";

export const PATH_PARAMETERS: Readonly<Record<string, Parameter>> = {
  blocks: inPath("id", "^(\\d{1,16}|0x[0-9a-fA-F]{64})$", "A decimal block number or the hash of a block."),
  transactions: inPath("hash", HASH, "The hash of a transaction."),
  blobs: inPath("hash", HASH, "The versioned hash of a blob."),
  addresses: inPath("address", ADDRESS, "An address."),
  "smart-contracts": inPath("address", ADDRESS, "The address of a contract."),
  tokens: inPath("address", ADDRESS, "The address of a token."),
  instances: inPath("id", "^\\d{1,78}$", "The decimal id of an instance, below 2^256."),
};

function inPath(name: string, pattern: string, description: string): Parameter {
  return { name, in: "path", required: true, schema: Type.String({ pattern, description }) };
}

function inQuery(name: string, schema: Parameter["schema"]): Parameter {
  return { name, in: "query", schema };
}

const positive = (options: object) => Type.Integer({ minimum: 1, ...options });

/** Specification, section 2.1. */
export function pageParameters(defaultSize = DEFAULT_PAGE_SIZE): readonly Parameter[] {
  const max = grouped(MAX_PAGE_SIZE);
  return [
    inQuery("page", positive({ default: 1, description: "The page number, from 1. A page past the end is empty." })),
    inQuery(
      "page_size",
      positive({
        default: defaultSize,
        description: `Items on a page, from 1 to ${max}. Larger values count as ${max}.`,
      }),
    ),
    inQuery("items_count", positive({ description: "An alias of `page_size`; `page_size` takes precedence." })),
    inQuery("anchor", Type.String({ description: "The `anchor` of `next_page_params`." })),
  ];
}

export const COLUMN_SETS = ["all", "readable"] as const;

/** Additional parameters of CSV exports. */
export const CSV_PARAMETERS: readonly Parameter[] = [
  inQuery(
    "from_period",
    Type.String({ description: "Only items from this time on: ISO 8601, or seconds since 1970." }),
  ),
  inQuery("to_period", Type.String({ description: "Only items up to this time." })),
  inQuery("filter_type", Type.String({ description: "`address`: `filter_value` is the `filter` of the list." })),
  inQuery("filter_value", Type.String({ description: "Another name of `filter`, with `filter_type`." })),
  inQuery("columns", words(COLUMN_SETS, "`all` fields, or `readable`: few, with amounts in whole units.")),
];

export const BLOCK_TYPES = ["block", "uncle", "reorg"] as const;
export const BLOCK_TYPE = inQuery(
  "type",
  words(BLOCK_TYPES, "`block`, `uncle` or `reorg`. Uncles and reorged blocks are not stored: their lists are empty."),
);

export const TRANSACTION_FILTERS = ["validated", "pending"] as const;
export const TRANSACTION_FILTER = inQuery(
  "filter",
  words(
    TRANSACTION_FILTERS,
    "`validated` or `pending`: those in the pool of the node, by sender and nonce, or 501 if the node does not show its pool.",
  ),
);

const TYPES = TRANSACTION_TYPES.map((type) => `\`${type}\``).join(", ");
export const TRANSACTION_TYPE = inQuery(
  "type",
  Type.String({ description: `Some of ${TYPES}, separated by commas. The list is [filtered](#filters).` }),
);

export const TRANSFER_TYPE = inQuery(
  "type",
  Type.String({
    description:
      "`ERC-20`, `ERC-721` or `ERC-1155`, or several separated by commas. The list is [filtered](#filters). `ERC-404` and `ERC-7984` are accepted, but match no transfer.",
  }),
);

export const ROLE = inQuery(
  "filter",
  words(["from", "to"], "`from` or `to`: only what the address sent or received. The list is [filtered](#filters)."),
);

export const TRANSACTION_SORTS = ["block_number", "value", "fee"] as const;
const IGNORED = "Accepted and ignored, unless `compat` is `blockscout`.";
const anyText = (name: string, meaning: string) => inQuery(name, Type.String({ description: `${IGNORED} ${meaning}` }));
/** Specification, section 4.1: accepted and ignored. */
export const IGNORED_FILTERS = [
  anyText("type", "Then as in `/transactions`."),
  anyText("filter", "Then `from` or `to`."),
  anyText("sort", "Then `block_number`, `value` or `fee`."),
  anyText("order", "Then `desc` or `asc`."),
];

const FILTERED = "The list is [filtered](#filters).";

export const LOG_TOPIC = inQuery(
  "topic",
  Type.String({ pattern: HASH, description: `A topic, in any of the four places. ${FILTERED}` }),
);

export const OF_TRANSACTION = inQuery(
  "transaction_hash",
  Type.String({ pattern: HASH, description: "The hash of a transaction, to list only its internal transactions." }),
);

export const OF_METHOD = inQuery(
  "method",
  Type.String({
    description: `Selectors, or names of well-known functions as \`/advanced-filters/methods\` has them, separated by commas: only calls of these. ${FILTERED}`,
  }),
);

export const OF_TOKEN = inQuery("token", address("The address of a token, to list only its transfers."));

export const SEARCH_TEXT: Parameter = {
  ...inQuery("q", Type.String({ description: "The search text. Leading and trailing blanks are ignored." })),
  required: true,
  example: "1",
};

export const TOKEN_TYPES = inQuery(
  "type",
  Type.String({
    description:
      "`ERC-20`, `ERC-721` or `ERC-1155`, or several separated by commas. `ERC-404` and `ERC-7984` are accepted, but match no token.",
  }),
);

export const ITEM_TYPES = inQuery(
  "type",
  Type.String({
    description: "`ERC-721` or `ERC-1155`, or both separated by a comma. `ERC-404` is accepted, but matches nothing.",
  }),
);

export const OF_HOLDER = inQuery("holder_address_hash", address("An address, to list only what it has."));

export const TOKEN_SEARCH_TEXT = inQuery(
  "q",
  Type.String({ description: "Lists the tokens that a [search](#search) for it finds, in the order of the search." }),
);

export const TOKEN_SORTS = ["holders_count", "fiat_value", "circulating_market_cap"] as const;
export const TOKEN_SORT = inQuery(
  "sort",
  words(
    TOKEN_SORTS,
    "The field to sort by: `holders_count`; `fiat_value`, the price; or `circulating_market_cap`, the price times the total supply. Tokens without a price follow, by their holders.",
  ),
);

export const ORDERS = ["desc", "asc"] as const;
export const TOKEN_ORDER = inQuery(
  "order",
  words(ORDERS, "`desc`, or `asc` for the fewest holders or the lowest price first."),
);
