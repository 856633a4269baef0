import type { Transaction } from "../../chain/block/transaction.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../../query/context.ts";
import { MAX_ROWS } from "./account.ts";
import type { Answer } from "./answer.ts";
import { list } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parsePage, requireAddress } from "./parse.ts";

const TEXTS = { missing: "Query parameter 'address' is required", invalid: "Invalid address format" };

/** The node's pending transactions from and to an address. */
export async function pendingtxlist(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", TEXTS);
  const { skip, limit } = parsePage(parameters, MAX_ROWS);
  const pending = await context.node?.pending.list();
  if (pending === undefined) throw new ChainError("unsupported", "the node does not list its pending transactions");
  const own = pending.filter(({ from, to }) => equalBytes(from, address) || (to !== null && equalBytes(to, address)));
  return list(own.slice(skip, skip + limit).map(presentPending), "No transactions found");
}

const decimal = (value: Uint | undefined): string => (value === undefined ? "0" : uintToBigInt(value).toString());

/** Without a receipt there is neither gas used nor a contract. */
function presentPending(tx: Transaction) {
  return {
    hash: toHex(tx.hash),
    nonce: decimal(tx.nonce),
    from: toHex(tx.from),
    to: tx.to === null ? "" : toHex(tx.to),
    value: decimal(tx.value),
    gas: decimal(tx.gas),
    gasPrice: decimal(tx.gasPrice ?? tx.maxFeePerGas),
    input: toHex(tx.input),
    contractAddress: "",
    cumulativeGasUsed: "",
    gasUsed: "",
  };
}
