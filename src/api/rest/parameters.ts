import { Type } from "typebox";
import type { Parameter } from "../openapi/operation.ts";
import { address, words } from "../openapi/values.ts";
import { DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE } from "../params.ts";

/** What stands in braces in a path. */
export const PATH_PARAMETERS: Readonly<Record<string, Parameter>> = {
  id: inPath("id", "^(\\d{1,16}|0x[0-9a-fA-F]{64})$", "A decimal block number or the hash of a block.", "1"),
  hash: inPath("hash", "^0x[0-9a-fA-F]{64}$", "The hash of a transaction."),
  address: inPath("address", "^0x[0-9a-fA-F]{40}$", "An address.", `0x${"0".repeat(40)}`),
};

function inPath(name: string, pattern: string, description: string, example?: string): Parameter {
  return {
    name,
    in: "path",
    required: true,
    schema: Type.String({ pattern, description }),
    ...(example !== undefined && { example }),
  };
}

function inQuery(name: string, schema: Parameter["schema"]): Parameter {
  return { name, in: "query", schema };
}

const positive = (options: object) => Type.Integer({ minimum: 1, ...options });

/** What every list takes (specification, section 2.1). */
export function pageParameters(defaultSize = DEFAULT_PAGE_SIZE): readonly Parameter[] {
  const most = LARGEST_PAGE_SIZE.toLocaleString("en");
  return [
    inQuery("page", positive({ default: 1, description: "The page, from 1. A page past the end is empty." })),
    inQuery(
      "page_size",
      positive({
        default: defaultSize,
        description: `Items on a page, from 1. More than ${most} are taken for ${most}.`,
      }),
    ),
    inQuery("items_count", positive({ description: "Another name for `page_size`, which wins." })),
    inQuery("anchor", Type.String({ description: "The `anchor` of `next_page_params`." })),
  ];
}

export const BLOCK_TYPES = ["block", "uncle", "reorg"] as const;
export const BLOCK_TYPE = inQuery(
  "type",
  words(BLOCK_TYPES, "`block`, `uncle` or `reorg`. Uncles and abandoned blocks are not kept: their lists are empty."),
);

export const TRANSACTION_FILTERS = ["validated", "pending"] as const;
export const TRANSACTION_FILTER = inQuery(
  "filter",
  words(TRANSACTION_FILTERS, "`validated` or `pending`. What waits is not listed: the list is empty."),
);

export const OF_TOKEN = inQuery("token", address("The address of a token, to list its transfers alone."));

export const SOUGHT: Parameter = {
  ...inQuery("q", Type.String({ description: "What to search for. Blanks around it do not count." })),
  required: true,
  example: "1",
};
