import { faultOf } from "../../../chain/block/authority.ts";
import { createsContract } from "../../../chain/block/receipt.ts";
import type { Authorization } from "../../../chain/block/transaction.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Extra } from "../../../chain/encoding/extra.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import type { TransferExcerpt } from "../../../query/tokens/transfers.ts";
import { MAX_SHOWN } from "../../../query/tokens/transfers.ts";
import type { AuthorizationOutcome } from "../../../query/transactions/authorizations.ts";
import type { TransactionDetails, TransactionFailure } from "../../../query/transactions/transaction.ts";
import { feesOf } from "../../../query/transactions/transactionFees.ts";
import type { TransactionPage } from "../../../query/transactions/transactionPages.ts";
import type { TransactionSummary } from "../../../query/transactions/transactionSummaries.ts";
import { typesOf } from "../../../query/transactions/transactionTypes.ts";
import type { TransactionView } from "../../../query/transactions/transactionView.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { ListedTransaction } from "../../../store/rows/transactionBody.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { decimal, decimalOrNull, numberOrText, timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import { presentTransfer } from "../tokens/presentTransfer.ts";
import { presentActions, presentBatch } from "./presentActions.ts";
import { presentCall, presentRevert } from "./presentDecoded.ts";
import { presentMethod } from "./presentMethod.ts";
import { presentSentence } from "./presentSummary.ts";
import type { AuthorizationSchema, TransactionSchema } from "./transactionSchema.ts";

type Presented = Shape<typeof TransactionSchema>;

type Presentable = TransactionSummary & {
  readonly failure?: TransactionFailure | undefined;
  readonly authorizations?: readonly AuthorizationOutcome[];
};

/** With its first token transfers and current prices. */
export function presentTransaction(details: TransactionDetails, rates: Rates): Presented {
  return {
    ...present(details, details.addresses, WHOLE),
    ...presentExcerpt(details.transfers),
    exchange_rate: rates.coin ?? null,
    summary: {
      ...presentSentence(details, rates),
      actions: presentActions(details),
      calls: presentBatch(details),
      is_complete: details.actions.isComplete,
    },
  };
}

/** Omits long fields. */
export async function presentTransactionPage(page: TransactionPage<PageInfo | WalkInfo>): Promise<Envelope<Presented>> {
  const { transactions, addresses, info, scope } = page;
  const items = await mapInTurns(transactions, (transaction) => present(transaction, addresses, LISTED));
  return cacheable(scope, presentPage(items, info));
}

function presentExcerpt(excerpt: TransferExcerpt | undefined) {
  if (excerpt === undefined) return {};
  const { transfers, addresses } = excerpt;
  return { token_transfers: transfers.map((transfer) => presentTransfer(transfer, addresses)) };
}

/** Field names of several client generations (reference: rest-v2, alias pairs). */
function present(view: Presentable, addresses: AddressInfos, longest: Longest): Presented {
  const { transaction: tx, outcome, decoded, failure } = view;
  const types = typesOf(view, addresses);
  return {
    hash: toHex(tx.hash),
    ...presentOutcome(view, addresses),
    from: presentAddress(tx.from, addresses),
    to: tx.to === null ? null : presentAddress(tx.to, addresses),
    value: decimal(tx.value),
    type: tx.type,
    nonce: numberOrText(tx.nonce),
    gas_limit: decimal(tx.gas),
    gas_price: decimalOrNull(outcome?.receipt.effectiveGasPrice ?? tx.gasPrice),
    max_fee_per_gas: decimalOrNull(tx.maxFeePerGas),
    max_priority_fee_per_gas: decimalOrNull(tx.maxPriorityFeePerGas),
    ...presentFees(view),
    raw_input: tx.input && toHex(tx.input),
    method: presentMethod(view.method),
    transaction_types: types,
    tx_types: types,
    authorization_list: presentAuthorizations(view, longest),
    ...(tx.type === 3 && presentBlobs(view, longest)),
    decoded_input: decoded === undefined ? null : presentCall(decoded),
    revert_reason: failure === undefined ? null : presentRevert(failure.reason),
    token_transfers: null,
    token_transfers_overflow: view.transferCount === undefined ? null : view.transferCount > MAX_SHOWN,
    ...UNKNOWN,
    ...presentExtra(view, longest),
  };
}

/** Size limits; longer values are null. */
interface Longest {
  readonly extra: number;
  readonly authorizations: number;
  readonly blobs: number;
}

const NO_BOUND = Number.POSITIVE_INFINITY;
const WHOLE: Longest = {
  extra: NO_BOUND,
  authorizations: NO_BOUND,
  blobs: NO_BOUND,
};

/** Limits in lists. Rows hold as much inline (store/rows/dividedBody.ts), so that lists need no further reads. */
export const LISTED: Longest = {
  extra: 1024,
  authorizations: 6,
  blobs: 32,
};

/** Neither in blocks nor in receipts. */
const UNKNOWN = {
  exchange_rate: null,
  historic_exchange_rate: null,
  transaction_tag: null,
  tx_tag: null,
  has_error_in_internal_transactions: null,
  confirmation_duration: [],
  actions: [],
  fhe_operations_count: 0,
  is_pending_update: false,
} as const;

function presentOutcome({ outcome, failure, error }: Presentable, addresses: AddressInfos) {
  if (outcome === undefined) return PENDING;
  const { receipt, index, header, confirmations } = outcome;
  const created = createsContract(receipt) ? receipt.contractAddress : null;
  return {
    ...statusOf(receipt.status, failure?.error ?? error),
    block_number: header.number,
    block: header.number,
    block_hash: toHex(header.hash),
    position: index,
    timestamp: timestamp(header.timestamp),
    confirmations,
    created_contract: created === null ? null : presentAddress(created, addresses),
    gas_used: String(receipt.gasUsed),
  };
}

const PENDING = {
  status: null,
  result: "pending",
  block_number: null,
  block: null,
  block_hash: null,
  position: null,
  timestamp: null,
  confirmations: 0,
  created_contract: null,
  gas_used: null,
} as const;

/** Receipts before Byzantium have no status; only a trace tells. */
function statusOf(status: 0 | 1 | undefined, error: string | undefined): Pick<Presented, "status" | "result"> {
  if (status === undefined) return { status: null, result: "awaiting_internal_transactions" };
  return status === 1 ? { status: "ok", result: "success" } : { status: "error", result: error ?? "error" };
}

function presentFees(view: TransactionView) {
  const { fee, shares } = feesOf(view);
  const burnt = shares?.burnt.toString() ?? null;
  return {
    fee: { type: view.outcome === undefined ? ("maximum" as const) : ("actual" as const), value: fee.toString() },
    base_fee_per_gas: decimalOrNull(view.outcome?.header.baseFeePerGas),
    priority_fee: shares?.priority.toString() ?? null,
    transaction_burnt_fee: burnt,
    tx_burnt_fee: burnt,
  };
}

/** Signers are not recovered in lists. */
function presentAuthorizations({ transaction, authorizations }: Presentable, longest: Longest) {
  const { authorizationList = [], chainId } = transaction;
  if (authorizationList === null || authorizationList.length > longest.authorizations) return null;
  return authorizationList.map((entry, at) => {
    const outcome = authorizations?.[at] ?? { authority: null, status: faultOf(entry, chainId, null) };
    return presentAuthorization(entry, outcome);
  });
}

function presentAuthorization(
  entry: Authorization,
  { authority, status }: AuthorizationOutcome,
): Shape<typeof AuthorizationSchema> {
  return {
    address_hash: checksumAddress(entry.address),
    address: checksumAddress(entry.address),
    authority: authority ? checksumAddress(authority) : null,
    chain_id: numberOrText(entry.chainId),
    nonce: numberOrText(entry.nonce),
    r: decimal(entry.r),
    s: decimal(entry.s),
    v: numberOrText(entry.yParity),
    status: status ?? null,
  };
}

function presentBlobs({ transaction: tx, outcome }: TransactionView, longest: Longest) {
  const { blobGasUsed, blobGasPrice } = outcome?.receipt ?? {};
  const isPriced = blobGasUsed !== undefined && blobGasPrice !== undefined;
  return {
    max_fee_per_blob_gas: decimalOrNull(tx.maxFeePerBlobGas),
    blob_versioned_hashes: presentHashes(tx.blobVersionedHashes, longest.blobs),
    blob_gas_used: blobGasUsed === undefined ? null : String(blobGasUsed),
    blob_gas_price: decimalOrNull(blobGasPrice),
    burnt_blob_fee: isPriced ? (uintToBigInt(blobGasPrice) * BigInt(blobGasUsed)).toString() : null,
  };
}

function presentHashes(hashes: ListedTransaction["blobVersionedHashes"], max: number): string[] | null {
  return hashes === null || (hashes?.length ?? 0) > max ? null : (hashes ?? []).map(toHex);
}

interface PresentedExtra {
  readonly extra?: object | null;
  readonly extra_omitted?: number;
}

function presentExtra({ transaction, outcome }: TransactionView, longest: Longest): PresentedExtra {
  const receiptExtra = outcome?.receipt.extra;
  if (transaction.extra === undefined && receiptExtra === undefined) return {};
  if (transaction.extra === null || receiptExtra === null) return { extra: null };
  const sizeOf = (extra: Extra | undefined) => (extra === undefined ? 0 : Buffer.byteLength(JSON.stringify(extra)));
  if (longest.extra < NO_BOUND && sizeOf(transaction.extra) + sizeOf(receiptExtra) > longest.extra)
    return { extra: null };
  // Without a prototype, `__proto__` is an ordinary key.
  const extra = Object.assign(Object.create(null), transaction.extra, receiptExtra) as object;
  const omitted = (transaction.omittedFields ?? 0) + (outcome?.receipt.omittedFields ?? 0);
  return omitted === 0 ? { extra } : { extra, extra_omitted: omitted };
}
