import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { readNewestBlocks } from "../../query/blocks/newestBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import type { GasPrice } from "../../query/stats/gasPrices.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";

/** Blocks in `gasUsedRatio`. */
const RATIOS = 5;

/** Prices in gwei. */
export async function gasoracle(context: QueryContext): Promise<Answer> {
  const figures = await context.stats.figures();
  if (figures === undefined) throw new ActionError("Nothing is indexed yet");
  const { slow, average, fast } = figures.gasPrices;
  const recent = await readNewestBlocks(context, RATIOS);
  const ratios = recent.map(({ header }) => ratio(header.gasUsed, Number(uintToBigInt(header.gasLimit))));
  return succeed({
    LastBlock: String(figures.tip.number),
    SafeGasPrice: gwei(total(slow)),
    ProposeGasPrice: gwei(total(average)),
    FastGasPrice: gwei(total(fast)),
    suggestBaseFee: gwei(average.baseFee ?? 0n),
    gasUsedRatio: ratios.join(),
  });
}

const total = ({ baseFee, tip }: GasPrice): bigint => (baseFee ?? 0n) + tip;

const ratio = (used: number, limit: number): string => String(limit === 0 ? 0 : used / limit);

/** Exact, without trailing zeros. */
function gwei(wei: bigint): string {
  const digits = wei.toString().padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
}
