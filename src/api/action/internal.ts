import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import { hasHappened, isCreation } from "../../chain/trace/internalCall.ts";
import type { QueryContext } from "../../query/context.ts";
import { readInternalHistory } from "../../query/traces/internalHistory.ts";
import { listTransactionInternalTransactions } from "../../query/traces/internalTransactions.ts";
import { mapInTurns } from "../../std/async.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import { MAX_ROWS } from "./account.ts";
import type { Answer } from "./answer.ts";
import { ActionError, indexedList } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { optionalAddress, parseBlockOrder, parsePage, parsePageRequest, requireHash } from "./parse.ts";

const NONE = "No transactions found";

/** Of a transaction, an address or the chain; newest first. */
export async function txlistinternal(context: QueryContext, parameters: Parameters): Promise<Answer> {
  if (parameters.get("include_zero_value") === "true") {
    throw new ActionError("Internal transactions without a value are not indexed");
  }
  if (parameters.get("txhash") !== undefined) return ofTransaction(context, parameters);
  const address = optionalAddress(parameters, "address", "Invalid address format");
  const window = { ...parseBlockOrder(parameters), ...parsePage(parameters, MAX_ROWS) };
  const { calls, isBehind } = await readInternalHistory(context, address, window);
  const rows = await mapInTurns(calls, presentInternal);
  return isBehind ? { status: "2", message: NOT_YET, result: rows } : indexedList(rows, NONE);
}

export const NOT_YET = "Some internal transactions within this block range have not yet been processed";

async function ofTransaction(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const hash = requireHash(parameters, "txhash", { missing: "", invalid: "Invalid txhash format" });
  try {
    const page = await listTransactionInternalTransactions(context, hash, parsePageRequest(parameters, MAX_ROWS));
    return indexedList(await mapInTurns(page?.calls ?? [], presentInternal), NONE);
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") {
      return { status: "2", message: NOT_PROCESSED, result: [] };
    }
    throw error;
  }
}

const NOT_PROCESSED = "Internal transactions for this transaction have not been processed yet";

/** Etherscan's field names, followed by Blockscout's. */
function presentInternal(call: MinedCall) {
  const { header } = call.mined.block;
  const hash = toHex(call.mined.transaction.hash);
  const target = call.to === null ? "" : toHex(call.to);
  const isCall = call.type === "call" || call.type === "callcode";
  return {
    blockNumber: String(header.number),
    timeStamp: String(header.timestamp),
    hash,
    transactionHash: hash,
    from: toHex(call.from),
    to: isCreation(call) ? "" : target,
    value: uintToBigInt(call.value).toString(),
    contractAddress: isCreation(call) ? target : "",
    input: "",
    type: call.type,
    callType: isCall ? call.type : "",
    gas: String(call.gas),
    gasUsed: String(call.gasUsed),
    index: String(call.index),
    traceId: String(call.index),
    isError: hasHappened(call) ? "0" : "1",
    errCode: call.error ?? (call.isUndone ? "parent call failed" : ""),
  };
}
