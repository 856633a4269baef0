import type { Json } from "./api.ts";
import type { PlainBlock, PlainChain } from "./plainChain.ts";
import type { WireReceipt, WireTransaction } from "./wireForm.ts";

/** Expected REST responses, recomputed from a node's JSON without production code. */

const big = (hex: unknown): bigint => BigInt(hex as string);
const text = (hex: unknown): string | null => (hex === undefined ? null : big(hex).toString());
export const time = (hex: unknown): string => `${new Date(Number(hex) * 1000).toISOString().slice(0, -1)}000Z`;

function expectedFee(receipt: WireReceipt): bigint {
  const blob = receipt.blobGasPrice === undefined ? 0n : big(receipt.blobGasPrice) * big(receipt.blobGasUsed);
  return big(receipt.effectiveGasPrice) * big(receipt.gasUsed) + blob;
}

/** EIP-4844's price of blob gas, as the specification of it is written. */
function priceOfBlobGas(excess: bigint, fraction: bigint): bigint {
  let [sum, term] = [0n, fraction];
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * excess) / (fraction * i);
  }
  return sum / fraction;
}

function expectedRewards(number: number, tips: bigint): Json[] {
  return number === 0 ? [] : [{ type: "Miner Reward", reward: (tips < 0n ? 0n : tips).toString() }];
}

export function expectedBlock({ block, receipts }: PlainBlock, height: number, blobUpdateFraction = 5_007_716): Json {
  const fees = receipts.reduce((sum, receipt) => sum + expectedFee(receipt), 0n);
  const blobFees = receipts.reduce(
    (sum, { blobGasPrice, blobGasUsed }) =>
      sum + (blobGasPrice === undefined ? 0n : big(blobGasPrice) * big(blobGasUsed)),
    0n,
  );
  const burnt = big(block.baseFeePerGas) * big(block.gasUsed);
  const used = (Number(block.gasUsed) / Number(block.gasLimit)) * 100;
  const paid = receipts.find((receipt) => receipt.blobGasPrice !== undefined)?.blobGasPrice;
  return {
    height: Number(block.number),
    hash: block.hash,
    parent_hash: block.parentHash,
    timestamp: time(block.timestamp),
    type: "block",
    miner: block.miner,
    size: Number(block.size),
    nonce: block.nonce,
    state_root: block.stateRoot,
    extra_data: block.extraData,
    difficulty: text(block.difficulty),
    total_difficulty: text(block.totalDifficulty),
    gas_used: text(block.gasUsed),
    gas_limit: text(block.gasLimit),
    gas_used_percentage: used,
    gas_target_percentage: used * 2 - 100,
    base_fee_per_gas: text(block.baseFeePerGas),
    transactions_count: block.transactions.length,
    transaction_count: block.transactions.length,
    tx_count: block.transactions.length,
    transaction_fees: (fees - blobFees).toString(),
    tx_fees: (fees - blobFees).toString(),
    burnt_fees: burnt.toString(),
    burnt_fees_percentage: fees === blobFees ? null : Number((burnt * 1_000_000n) / (fees - blobFees)) / 10_000,
    burnt_blob_fees: blobFees.toString(),
    priority_fee: (fees - burnt - blobFees < 0n ? 0n : fees - burnt - blobFees).toString(),
    blob_gas_used: text(block.blobGasUsed),
    excess_blob_gas: text(block.excessBlobGas),
    blob_gas_price: text(paid ?? priceOfBlobGas(big(block.excessBlobGas), BigInt(blobUpdateFraction)).toString()),
    blob_transactions_count: block.transactions.filter((tx) => tx.type === "0x3").length,
    withdrawals_count: (block.withdrawals as unknown[]).length,
    uncles_hashes: [],
    rewards: expectedRewards(Number(block.number), fees - burnt - blobFees),
    internal_transactions_count: null,
    beacon_deposits_count: null,
    confirmations: height - Number(block.number) + 1,
    is_pending_update: false,
  };
}

/** All of a transaction's record but what it calls and why it failed; addresses by plain hex. */
export function expectedTransaction(
  tx: WireTransaction,
  receipt: WireReceipt,
  { block }: PlainBlock,
  height: number,
): Json {
  const created = tx.to === null && receipt.status !== "0x0" ? receipt.contractAddress : null;
  const isPriced = receipt.blobGasPrice !== undefined;
  return {
    ...expectedPending(tx),
    status: receipt.status === "0x1" ? "ok" : receipt.status === "0x0" ? "error" : null,
    block_number: Number(block.number),
    block: Number(block.number),
    block_hash: block.hash,
    timestamp: time(block.timestamp),
    position: Number(tx.transactionIndex),
    confirmations: height - Number(block.number) + 1,
    gas_price: text(receipt.effectiveGasPrice),
    gas_used: text(receipt.gasUsed),
    base_fee_per_gas: text(block.baseFeePerGas),
    ...expectedShares(tx, receipt, big(block.baseFeePerGas)),
    fee: { type: "actual", value: expectedFee(receipt).toString() },
    created_contract: created,
    ...(tx.type === "0x3" && {
      blob_gas_used: text(receipt.blobGasUsed),
      blob_gas_price: text(receipt.blobGasPrice),
      burnt_blob_fee: isPriced ? (big(receipt.blobGasUsed) * big(receipt.blobGasPrice)).toString() : null,
    }),
  };
}

/** Burnt fee and miner's tip of EIP-1559 transactions. */
function expectedShares(tx: WireTransaction, receipt: WireReceipt, base: bigint): Json {
  if (tx.maxFeePerGas === undefined) return {};
  const room = big(tx.maxFeePerGas) - base;
  const tip = big(tx.maxPriorityFeePerGas);
  const burnt = (base * big(receipt.gasUsed)).toString();
  const isCapped = tip > room;
  const priority = ((isCapped ? room : tip) * big(receipt.gasUsed)).toString();
  return { transaction_burnt_fee: burnt, tx_burnt_fee: burnt, priority_fee: priority };
}

export function expectedPending(tx: WireTransaction): Json {
  const { maxFeePerBlobGas = "0x0", blobVersionedHashes = [] } = tx;
  const blobGas = BigInt((blobVersionedHashes as string[]).length * 131_072);
  const max = big(tx.maxFeePerGas ?? tx.gasPrice) * big(tx.gas) + big(maxFeePerBlobGas) * blobGas;
  return {
    hash: tx.hash,
    status: null,
    block_number: null,
    block: null,
    block_hash: null,
    timestamp: null,
    position: null,
    confirmations: 0,
    gas_used: null,
    base_fee_per_gas: null,
    transaction_burnt_fee: null,
    tx_burnt_fee: null,
    priority_fee: null,
    created_contract: null,
    gas_price: text(tx.gasPrice),
    from: tx.from,
    to: tx.to,
    value: text(tx.value),
    type: Number(tx.type),
    nonce: Number(tx.nonce),
    gas_limit: text(tx.gas),
    raw_input: tx.input,
    max_fee_per_gas: text(tx.maxFeePerGas),
    max_priority_fee_per_gas: text(tx.maxPriorityFeePerGas),
    fee: { type: "maximum", value: max.toString() },
    ...(tx.type === "0x3" && {
      blob_versioned_hashes: tx.blobVersionedHashes,
      max_fee_per_blob_gas: text(tx.maxFeePerBlobGas),
      blob_gas_used: null,
      blob_gas_price: null,
      burnt_blob_fee: null,
    }),
    authorization_list: ((tx.authorizationList ?? []) as Json[]).map((entry) => ({
      address_hash: entry.address,
      address: entry.address,
      chain_id: Number(entry.chainId),
      nonce: big(entry.nonce) <= Number.MAX_SAFE_INTEGER ? Number(entry.nonce) : text(entry.nonce),
      r: text(entry.r),
      s: text(entry.s),
      v: Number(entry.yParity),
    })),
  };
}

/** The hashes of an address's transactions from block `since` on, newest first. */
export function transactionsOf(chain: PlainChain, address: string, since = 0): string[] {
  const found: string[] = [];
  for (let number = since; number < chain.length; number++) {
    const { block, receipts } = chain.at(number)!;
    block.transactions.forEach((tx, i) => {
      const created = receipts[i]!.status === "0x0" ? null : receipts[i]!.contractAddress;
      if ([tx.from, tx.to, created].includes(address)) found.push(tx.hash);
    });
  }
  return found.reverse();
}

export function addressesIn(chain: PlainChain): string[] {
  const found = new Set<string>();
  for (let number = 0; number < chain.length; number++) {
    const { block, receipts } = chain.at(number)!;
    block.transactions.forEach((tx, i) => {
      for (const address of [tx.from, tx.to, receipts[i]!.contractAddress]) if (address) found.add(address as string);
    });
  }
  return [...found];
}

/** The part of an answer that an expectation names, addresses by their plain hex. */
export function pick(answer: unknown, expected: unknown): unknown {
  if (Array.isArray(expected) && Array.isArray(answer)) {
    return answer.map((item, at) => pick(item, expected[at]));
  }
  if (typeof answer === "string" && /^0x[0-9a-fA-F]{40}$/.test(answer)) return answer.toLowerCase();
  if (typeof answer !== "object" || answer === null) return answer;
  if (typeof expected === "string" && "hash" in answer) return String(answer.hash).toLowerCase();
  if (typeof expected !== "object" || expected === null) return answer;
  const entries = Object.entries(expected).map(([key, value]) => [key, pick((answer as Json)[key], value)]);
  return Object.fromEntries(entries);
}
