import { formatEther } from "viem";
import type { PlainBlock, PlainChain } from "./plainChain.ts";
import { blocksOf } from "./plainChain.ts";
import type { WireReceipt } from "./wireForm.ts";

export type Row = Readonly<Record<string, string | number>>;

const big = (hex: unknown): bigint => BigInt((hex ?? 0) as string);
const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const timeOf = ({ block }: PlainBlock): number => Number(block.timestamp);

/** Whole coins without the fraction of none. */
const ether = (wei: bigint): string => formatEther(wei);

function feeOf(receipt: WireReceipt): bigint {
  const { gasUsed, effectiveGasPrice, blobGasUsed, blobGasPrice } = receipt as unknown as Record<string, string>;
  return big(gasUsed) * big(effectiveGasPrice) + big(blobGasUsed) * big(blobGasPrice);
}

const blobFeeOf = (receipt: WireReceipt): bigint => big(receipt.blobGasUsed) * big(receipt.blobGasPrice);

/** Expected rows of the `daily…` actions by action and date, from a node's JSON alone. `seen` are the addresses in the order in which they appeared, with their block. */
export function dailyRows(chain: PlainChain, seen: ReadonlyMap<string, number>, reward: bigint) {
  const days = new Map<string, PlainBlock[]>();
  for (const block of blocksOf(chain)) {
    const date = new Date(timeOf(block) * 1000).toISOString().slice(0, 10);
    days.set(date, [...(days.get(date) ?? []), block]);
  }
  const rows = new Map<string, Row[]>();
  for (const [date, blocks] of days) {
    for (const [action, fields] of Object.entries(fieldsOf(chain, blocks, seen, reward))) {
      if (fields === undefined) continue;
      const row = { UTCDate: date, unixTimeStamp: String(Date.parse(date) / 1000), ...fields };
      rows.set(action, [...(rows.get(action) ?? []), row]);
    }
  }
  return rows;
}

function fieldsOf(
  chain: PlainChain,
  blocks: readonly PlainBlock[],
  seen: ReadonlyMap<string, number>,
  reward: bigint,
): Record<string, Row | undefined> {
  const receipts = blocks.flatMap((block) => block.receipts);
  const numbers = new Set(blocks.map(({ number }) => number));
  const gasUsed = sum(blocks.map(({ block }) => big(block.gasUsed)));
  const gasLimit = sum(blocks.map(({ block }) => big(block.gasLimit)));
  const mean = (total: bigint) => {
    const exact = Number(total) / blocks.length;
    const isHalf = exact % 1 === 0.5;
    return isHalf ? 2 * Math.round(exact / 2) : Math.round(exact);
  };
  const tips = blocks.map((one) => {
    const burnt = big(one.block.baseFeePerGas) * big(one.block.gasUsed);
    const left = sum(one.receipts.map(feeOf)) - burnt - sum(one.receipts.map(blobFeeOf));
    return one.number === 0 || left < 0n ? 0n : left;
  });
  const subsidies = reward * BigInt(blocks.filter(({ number }) => number > 0).length);
  const intervals = blocks.flatMap((block) => {
    const before = block.number > 1 ? chain.at(block.number - 1) : undefined;
    return before === undefined ? [] : [timeOf(block) - timeOf(before)];
  });
  const seconds = intervals.reduce((total, one) => total + one, 0);
  return {
    dailytx: { transactionCount: receipts.length },
    dailynewaddress: { newAddressCount: [...seen.values()].filter((number) => numbers.has(number)).length },
    dailygasused: { gasUsed: String(gasUsed) },
    dailyavgblocktime: intervals.length === 0 ? undefined : { blockTime_sec: (seconds / intervals.length).toFixed(2) },
    dailyavgblocksize: { blockSize_bytes: mean(sum(blocks.map(({ block }) => big(block.size)))) },
    dailyavggaslimit: { gasLimit: String(mean(gasLimit)) },
    dailynetutilization: { networkUtilization: String(Number((Number(gasUsed) / Number(gasLimit)).toFixed(4))) },
    dailytxnfee: { transactionFee_Eth: ether(sum(receipts.map(feeOf))) },
    dailyblkcount: { blockCount: blocks.length, blockRewards_Eth: ether(subsidies + sum(tips)) },
    dailyblockrewards: { blockRewards_Eth: ether(subsidies) },
    dailyuncleblkcount: { uncleBlockCount: 0, uncleBlockRewards_Eth: "0" },
  };
}

/** The fees of each day in wei. */
export function dailyFees(chain: PlainChain): Map<string, bigint> {
  const fees = new Map<string, bigint>();
  for (const block of blocksOf(chain)) {
    const date = new Date(timeOf(block) * 1000).toISOString().slice(0, 10);
    fees.set(date, (fees.get(date) ?? 0n) + sum(block.receipts.map(feeOf)));
  }
  return fees;
}
