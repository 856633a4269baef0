import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { QueryContext } from "../../query/context.ts";
import type { GasPrice } from "../../query/stats/gasPrices.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";

/** What to pay for gas, in gwei. */
export async function gasoracle({ stats, store }: QueryContext): Promise<Answer> {
  const figures = await stats.figures();
  if (figures === undefined) throw new ActionError("Nothing is indexed yet");
  const { slow, average, fast } = figures.gasPrices;
  const recent = await store.read(({ blocks }) => blocks.range(Math.max(figures.tip.number - 4, figures.first), 5));
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

/** Exact, without zeros at its end. */
function gwei(wei: bigint): string {
  const digits = wei.toString().padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
}
