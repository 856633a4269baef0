import type { QueryContext } from "../../query/context.ts";
import { findTransaction, readTransaction } from "../../query/transactions/transaction.ts";
import type { Answer } from "./answer.ts";
import { succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { requireHash } from "./parse.ts";

const TEXTS = { missing: "Query parameter txhash is required", invalid: "Invalid txhash format" };

/** Whether a transaction succeeded; an empty text for one that is unknown or pending. */
export async function gettxreceiptstatus(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const found = await findTransaction(context, requireHash(parameters, "txhash", TEXTS));
  return succeed({ status: String(found?.outcome?.receipt.status ?? "") });
}

/** Whether a transaction failed, and why. */
export async function getstatus(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const found = await readTransaction(context, requireHash(parameters, "txhash", TEXTS));
  const hasFailed = found?.outcome?.receipt.status === 0;
  return succeed({ isError: hasFailed ? "1" : "0", errDescription: hasFailed ? (found.failure?.error ?? "") : "" });
}
