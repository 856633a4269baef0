import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { selectorsNamed } from "../../../query/advanced/knownMethods.ts";
import type { QueryContext } from "../../../query/context.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import {
  listAddressTransactionsOf,
  listOldestAddressTransactions,
  listSortedAddressTransactions,
} from "../../../query/transactions/filteredTransactions.ts";
import type { TransactionSelection } from "../../../query/transactions/selectTransactions.ts";
import { MAX_SORTED } from "../../../query/transactions/sortedTransactions.ts";
import type { TransactionPage } from "../../../query/transactions/transactionPages.ts";
import { listAddressTransactions } from "../../../query/transactions/transactionPages.ts";
import type { TransactionType } from "../../../query/transactions/transactionTypes.ts";
import { TRANSACTION_TYPES } from "../../../query/transactions/transactionTypes.ts";
import { grouped } from "../../openapi/values.ts";
import { ORDERS, TRANSACTION_SORTS } from "../parameters.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseChoice, parsePage, parseRole, parseSome, parseWalkPage } from "../params.ts";

/** Undefined for all types. */
export const parseTransactionTypes = (query: Query): readonly TransactionType[] | undefined =>
  parseSome(query, "type", TRANSACTION_TYPES);

const MAX_METHODS = 20;

/** Selectors; undefined for all. A name may match several. */
export function parseMethods({ method }: Query): ReadonlySet<Hex> | undefined {
  if (method === undefined || method === "") return undefined;
  const words = typeof method === "string" ? method.split(",", MAX_METHODS + 1) : [];
  const selectors = words.map((word) => selectorsNamed(word.trim()));
  if (words.length === 0 || words.length > MAX_METHODS || selectors.some(({ length }) => length === 0)) {
    throw new ParameterError("method", `up to ${MAX_METHODS} selectors or names of well-known functions`);
  }
  return new Set(selectors.flat());
}

export async function listByQuery(
  network: QueryContext,
  address: Bytes,
  query: Query,
): Promise<TransactionPage<PageInfo | WalkInfo>> {
  const [types, role] = [parseTransactionTypes(query), parseRole(query)];
  const selection: TransactionSelection = { types, party: role && { address, role } };
  const sort = parseChoice(query, "sort", TRANSACTION_SORTS);
  const order = parseChoice(query, "order", ORDERS);
  if (sort !== "block_number") {
    const page = await listSortedAddressTransactions(network, address, selection, { sort, order }, parsePage(query));
    if (page === undefined) throw tooMany();
    return page;
  }
  if (types !== undefined || role !== undefined) {
    return listAddressTransactionsOf(network, address, selection, order, parseWalkPage(query));
  }
  const list = order === "asc" ? listOldestAddressTransactions : listAddressTransactions;
  return list(network, address, parsePage(query));
}

function tooMany(): ParameterError {
  const max = grouped(MAX_SORTED);
  return new ParameterError("sort", `block_number: the address has over ${max} transactions, which are not sorted`);
}
