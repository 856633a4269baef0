import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import { listTransactionTransfers } from "../tokens/transfers.ts";
import type { TransactionDetails } from "./transaction.ts";
import { readTransaction } from "./transaction.ts";
import type { Approval, MovedToken, TransactionAction } from "./transactionAction.ts";
import { composeAction } from "./transactionAction.ts";

export interface ReadAction {
  readonly action: TransactionAction;
  readonly addresses: AddressInfos;
  readonly scope: CacheScope | undefined;
}

/** Transfers and logs considered; beyond this the summary only names the call. */
const MAX_SCANNED_LOGS = 100;

/** Undefined if the transaction is unknown. */
export async function readAction(context: QueryContext, hash: Bytes): Promise<ReadAction | undefined> {
  const details = await readTransaction(context, hash);
  if (details === undefined) return undefined;
  const transfers = await readTransfers(context, details);
  const { approvals, hasSwap } = await context.store.read((session) => readLogs(session, hash));
  const { transaction, outcome, method } = details;
  const created = outcome?.receipt.contractAddress ?? undefined;
  const action = composeAction({
    from: transaction.from,
    to: transaction.to,
    value: uintToBigInt(transaction.value),
    created: outcome?.receipt.status === 0 ? undefined : created,
    hasFailed: outcome?.receipt.status === 0,
    method: method instanceof Uint8Array ? toHex(method) : method,
    blobs: transaction.blobVersionedHashes?.length ?? 0,
    transfers,
    approvals,
    hasSwap,
  });
  const named = Object.values(action.variables).flatMap(({ type, value }) => (type === "address" ? [value] : []));
  const addresses = await context.store.read((session) => session.addresses.infos(named));
  return { action, addresses, scope: details.scope };
}

/** Undefined if there are too many or they are not indexed. */
async function readTransfers(
  context: QueryContext,
  { transaction, transfers, transferCount = 0 }: TransactionDetails,
): Promise<MovedToken[] | undefined> {
  if (transfers === undefined || transferCount > MAX_SCANNED_LOGS) return undefined;
  const request = { page: 1, pageSize: MAX_SCANNED_LOGS, cursor: undefined };
  const isWhole = transfers.transfers.length === transferCount;
  const found = isWhole ? transfers : await listTransactionTransfers(context, transaction.hash, request);
  return found?.transfers.map(({ transfer, token }) => ({
    token,
    from: transfer.from,
    to: transfer.to,
    amount: transfer.kind === "ERC-721" ? 1n : uintToBigInt(transfer.amount),
    tokenId: transfer.tokenId && uintToBigInt(transfer.tokenId),
    isUnique: transfer.kind === "ERC-721",
  }));
}

const SWAPS = [EXCHANGE_TOPICS.swapV2, EXCHANGE_TOPICS.swapV3, EXCHANGE_TOPICS.swapPancake];
const APPROVAL = fromHex("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
const APPROVAL_FOR_ALL = fromHex("0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31");

/** Neither approvals nor swaps if there are too many logs. */
async function readLogs(session: ReadSession, hash: Bytes): Promise<{ approvals: Approval[]; hasSwap: boolean }> {
  const mined = await session.transactions.byHash(hash);
  const logs =
    mined === undefined || mined.logs.count > MAX_SCANNED_LOGS
      ? []
      : await session.logs.ofTransaction(mined, 0, MAX_SCANNED_LOGS);
  const approvals = await readApprovals(session, logs);
  return { approvals, hasSwap: logs.some((log) => SWAPS.some((topic) => isTopic(log, topic))) };
}

function isTopic({ topics }: MinedLog, topic: Bytes): boolean {
  return topics.length >= 32 && equalBytes(topics.subarray(0, 32), topic);
}

/** Of known tokens only. */
async function readApprovals({ addresses, tokens }: ReadSession, logs: readonly MinedLog[]): Promise<Approval[]> {
  const found = logs.flatMap((log) => {
    const what = approvedBy(log);
    return what === undefined ? [] : [{ log, what }];
  });
  const ids = await addresses.ids(found.map(({ log }) => log.address));
  const known = await tokens.byId([...new Set(ids.values())]);
  return found.flatMap(({ log, what }) => {
    const token = known.get(ids.get(log.address) ?? 0);
    return token === undefined ? [] : [{ token, spender: log.topics.subarray(76, 96), of: what }];
  });
}

/** Undefined if it is no approval. */
function approvedBy(log: MinedLog): Approval["of"] | undefined {
  const { topics, data } = log;
  if (isTopic(log, APPROVAL_FOR_ALL)) {
    return topics.length === 96 && data?.length === 32 ? { all: uintToBigInt(data) !== 0n } : undefined;
  }
  if (!isTopic(log, APPROVAL)) return undefined;
  if (topics.length === 128 && data?.length === 0) return { tokenId: uintToBigInt(topics.subarray(96, 128)) };
  return topics.length === 96 && data?.length === 32 ? { amount: uintToBigInt(data) } : undefined;
}
