import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToNumber } from "../../../chain/encoding/uint.ts";
import type { BlockView } from "../../../query/blocks/block.ts";
import { feesOf } from "../../../query/blocks/block.ts";
import type { BlockPage } from "../../../query/blocks/blockPages.ts";
import type { Countdown } from "../../../query/blocks/countdown.ts";
import type { WithdrawalPage } from "../../../query/blocks/withdrawals.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { decimal, decimalOrNull, percentage, timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import type { BlockSchema, CountdownSchema, WithdrawalSchema } from "./blockSchema.ts";

/** Field names of several client generations (reference: rest-v2, alias pairs). */
export function presentBlock(view: BlockView, addresses: AddressInfos): Shape<typeof BlockSchema> {
  const { header, sums, confirmations, reward } = view;
  const fees = (sums.fees - sums.blobFees).toString();
  return {
    height: header.number,
    hash: toHex(header.hash),
    parent_hash: toHex(header.parentHash),
    timestamp: timestamp(header.timestamp),
    type: "block",
    miner: presentAddress(header.miner, addresses),
    size: header.size === 0 ? null : header.size,
    nonce: toHex(header.nonce),
    state_root: toHex(header.stateRoot),
    extra_data: toHex(header.extraData),
    difficulty: decimal(header.difficulty),
    total_difficulty: decimalOrNull(header.totalDifficulty),
    gas_used: String(header.gasUsed),
    gas_limit: decimal(header.gasLimit),
    ...presentFill(view),
    transactions_count: sums.transactions,
    transaction_count: sums.transactions,
    tx_count: sums.transactions,
    transaction_fees: fees,
    tx_fees: fees,
    ...presentFees(view),
    internal_transactions_count: view.internal,
    rewards: reward === null ? [] : [{ type: "Miner Reward", reward: reward.toString() }],
    uncles_hashes: header.uncles.map((hash) => ({ hash: toHex(hash) })),
    withdrawals_count: header.withdrawals?.length ?? null,
    beacon_deposits_count: null,
    confirmations,
    is_pending_update: false,
    ...(header.extra !== undefined && { extra: header.extra }),
    ...(header.omittedFields !== undefined && { extra_omitted: header.omittedFields }),
  };
}

/** The target is half the limit (EIP-1559). */
function presentFill({ header }: BlockView) {
  const limit = uintToNumber(header.gasLimit);
  const used = limit === 0 ? 0 : (header.gasUsed / limit) * 100;
  return { gas_used_percentage: used, gas_target_percentage: limit === 0 ? 0 : used * 2 - 100 };
}

function presentFees(block: BlockView) {
  const { header, sums, blobGasPrice } = block;
  const { burnt, priority } = feesOf(block);
  return {
    base_fee_per_gas: decimalOrNull(header.baseFeePerGas),
    burnt_fees: burnt?.toString() ?? null,
    burnt_fees_percentage: burnt === null ? null : percentage(burnt, sums.fees - sums.blobFees),
    priority_fee: priority?.toString() ?? null,
    blob_transactions_count: sums.blobTransactions,
    blob_gas_used: header.blobGasUsed === undefined ? null : String(header.blobGasUsed),
    excess_blob_gas: decimalOrNull(header.excessBlobGas),
    blob_gas_price: blobGasPrice?.toString() ?? null,
    burnt_blob_fees: sums.blobFees.toString(),
  };
}

export function presentBlockPage({ blocks, addresses, info }: BlockPage): Envelope<Shape<typeof BlockSchema>> {
  const items = blocks.map((block) => presentBlock(block, addresses));
  return cacheable("index", presentPage(items, info));
}

export function presentCountdown(block: number, countdown: Countdown): Shape<typeof CountdownSchema> {
  const { height, remaining, seconds } = countdown;
  return {
    current_block: height,
    countdown_block: block,
    remaining_blocks: remaining,
    estimated_time_in_sec: seconds,
  };
}

export function presentWithdrawalPage(
  page: WithdrawalPage<PageInfo | WalkInfo>,
): Envelope<Shape<typeof WithdrawalSchema>> {
  const items = page.withdrawals.map(({ index, validatorIndex, address, wei, header }) => ({
    index,
    validator_index: validatorIndex,
    receiver: presentAddress(address, page.addresses),
    amount: wei.toString(),
    block_number: header.number,
    timestamp: timestamp(header.timestamp),
  }));
  return cacheable(page.scope, presentPage(items, page.info));
}
