import type { QueryContext } from "../../query/context.ts";
import { findTransaction, readTransaction } from "../../query/transactions/transaction.ts";
import { readTransactionLogs } from "../../query/transactions/transactionLogs.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseNumber, requireHash } from "./parse.ts";
import { presentTransactionInfo } from "./present.ts";

const TEXTS = { missing: "Query parameter txhash is required", invalid: "Invalid txhash format" };

/** Empty for unknown and pending transactions. */
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

/** Blockscout's page size. */
export const MAX_INFO_LOGS = 50;

/** `index` is the last log index of the previous page. */
export async function gettxinfo(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const hash = requireHash(parameters, "txhash", TEXTS);
  const found = await readTransaction(context, hash);
  const window = { after: parseNumber(parameters.get("index")), limit: MAX_INFO_LOGS };
  const block = found?.outcome?.header.hash;
  const excerpt = block && (await readTransactionLogs(context, hash, block, window));
  if (found?.outcome === undefined || excerpt === undefined) throw new ActionError("Transaction not found");
  return succeed(presentTransactionInfo(found, found.outcome, excerpt));
}
