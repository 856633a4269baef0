import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { estimateInclusion } from "../../query/blocks/inclusionTime.ts";
import { readNewestBlocks } from "../../query/blocks/newestBlock.ts";
import type { QueryContext } from "../../query/context.ts";
import type { GasPrice } from "../../query/stats/gasPrices.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

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

/** Seconds. */
export async function gasestimate(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const text = parameters.get("gasprice");
  if (text === undefined) throw new ActionError("Query parameter 'gasprice' is required");
  if (!PRICE.test(text)) throw new ActionError("Invalid gasprice format");
  const seconds = await estimateInclusion(context, BigInt(text));
  if (seconds === undefined) throw new ActionError("Nothing is indexed yet");
  if (seconds === "never") throw new ActionError("The base fee does not fall to this price");
  return succeed(String(seconds));
}

/** Of up to 256 bits. */
const PRICE = /^\d{1,78}$/;

const total = ({ baseFee, tip }: GasPrice): bigint => (baseFee ?? 0n) + tip;

const ratio = (used: number, limit: number): string => String(limit === 0 ? 0 : used / limit);

/** Exact, without trailing zeros. */
function gwei(wei: bigint): string {
  const digits = wei.toString().padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, "");
}
