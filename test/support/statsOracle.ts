import type { Json } from "./api.ts";
import type { PlainBlock, PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";
import type { WireReceipt } from "./wireForm.ts";

/** Expected statistics, recomputed from all blocks without production code. */

const DAY = 86_400;
const big = (hex: unknown): bigint => BigInt(hex as string);
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const timeOf = ({ block }: PlainBlock): number => Number(block.timestamp);
const dateOf = (block: PlainBlock): string => new Date(timeOf(block) * 1000).toISOString().slice(0, 10);

const ofLastDay = (chain: PlainChain, since: number): PlainBlock[] =>
  blocksOf(chain, since).filter((block) => timeOf(block) > timeOf(chain.head) - DAY);

export function expectedStats(chain: PlainChain, since = 0): Json {
  const blocks = blocksOf(chain, since);
  const day = ofLastDay(chain, since);
  const recent = blocks.slice(-101).filter(({ number }) => number > 0);
  const transactions = (of: readonly PlainBlock[]) => of.reduce((n, { block }) => n + block.transactions.length, 0);
  const gasUsed = (of: readonly PlainBlock[]) => sum(of.map(({ block }) => big(block.gasUsed)));
  const full = blocks.slice(-100);
  const limit = sum(full.map(({ block }) => big(block.gasLimit)));
  return {
    total_blocks: String(blocks.length),
    total_transactions: String(transactions(blocks)),
    total_gas_used: gasUsed(blocks).toString(),
    transactions_today: String(transactions(day)),
    gas_used_today: gasUsed(day).toString(),
    average_block_time:
      recent.length < 2 ? 0 : ((timeOf(recent.at(-1)!) - timeOf(recent[0]!)) * 1000) / (recent.length - 1),
    network_utilization_percentage: Number((gasUsed(full) * 1_000_000n) / limit) / 10_000,
    gas_price_updated_at: `${new Date(timeOf(chain.head) * 1000).toISOString().slice(0, -1)}000Z`,
    block_number: chain.head.number,
    since_block: since,
  };
}

/** The tips of the newest 500 transactions of the newest 20 blocks, at their percentiles. */
export function expectedTips(chain: PlainChain, since = 0): Record<"slow" | "average" | "fast", bigint> {
  const paid = blocksOf(chain, since)
    .slice(-20)
    .flatMap(({ block, receipts }) =>
      receipts.map(({ effectiveGasPrice }) => [big(effectiveGasPrice), big(block.baseFeePerGas)] as const),
    )
    .slice(-500)
    .filter(([price]) => price > 0n)
    .map(([price, base]) => (price > base ? price - base : 0n))
    .sort((a, b) => Number(a - b));
  const at = (percentile: number) => {
    const min = paid.find((tip) => paid.filter((other) => other <= tip).length * 100 >= percentile * paid.length);
    return min ?? 0n;
  };
  return { slow: at(35), average: at(60), fast: at(90) };
}

/** EIP-1559, of the block after the head. */
export function expectedBaseFee({ head }: PlainChain): bigint {
  const [fee, used, target] = [big(head.block.baseFeePerGas), big(head.block.gasUsed), big(head.block.gasLimit) / 2n];
  if (used <= target) return fee - (fee * (target - used)) / target / 8n;
  const rise = (fee * (used - target)) / target / 8n;
  return fee + (rise === 0n ? 1n : rise);
}

export function expectedDays(chain: PlainChain, since = 0): Json[] {
  const blocks = blocksOf(chain, since);
  const days: Json[] = [];
  for (let time = timeOf(chain.head); days.length < 30; time -= DAY) {
    const date = new Date(time * 1000).toISOString().slice(0, 10);
    const made = blocks.filter((block) => dateOf(block) === date);
    days.push({
      date,
      transactions_count: made.reduce((n, { block }) => n + block.transactions.length, 0),
      active_addresses_count: activeIn(made),
    });
    if (date === dateOf(blocks[0]!)) break;
  }
  return days;
}

/** Distinct senders, receivers and contracts that transactions created. */
export function activeIn(blocks: readonly PlainBlock[]): number {
  const parties = blocks.flatMap(({ block, receipts }) => [
    ...block.transactions.flatMap(({ from, to }) => [from, to]),
    ...receipts.filter(({ status }) => status !== "0x0").map(({ contractAddress }) => contractAddress),
  ]);
  return new Set(parties.filter((party) => party !== null && party !== undefined)).size;
}

export function feeOf({ effectiveGasPrice, gasUsed, blobGasPrice, blobGasUsed }: WireReceipt): bigint {
  const blobs = blobGasPrice === undefined ? 0n : big(blobGasPrice) * big(blobGasUsed);
  return big(effectiveGasPrice) * big(gasUsed) + blobs;
}

/** The contracts that transactions deployed; none of them is verified. */
export function expectedContracts(chain: PlainChain): Json {
  const deployed = (receipts: readonly WireReceipt[]) =>
    String(receipts.filter(({ contractAddress, status }) => contractAddress !== null && status !== "0x0").length);
  return {
    smart_contracts: deployed(blocksOf(chain).flatMap(({ receipts }) => receipts)),
    new_smart_contracts_24h: deployed(ofLastDay(chain, 0).flatMap(({ receipts }) => receipts)),
    verified_smart_contracts: "0",
    new_verified_smart_contracts_24h: "0",
  };
}

export function expectedDay(chain: PlainChain, since = 0, pending?: number): Json {
  const receipts = ofLastDay(chain, since).flatMap((block) => block.receipts);
  const fees = sum(receipts.map(feeOf));
  return {
    transactions_count_24h: String(receipts.length),
    pending_transactions_count: pending === undefined ? null : String(pending),
    transaction_fees_sum_24h: fees.toString(),
    transaction_fees_avg_24h: (receipts.length === 0 ? 0n : fees / BigInt(receipts.length)).toString(),
  };
}
