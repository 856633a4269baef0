import { divideHalfEven, formatAmount, formatFraction } from "../../exchange/decimal.ts";
import type { DaySums } from "../../query/blocks/dailySums.ts";
import { readDailySums } from "../../query/blocks/dailySums.ts";
import type { DaySpan, DayTotals } from "../../query/blocks/dailyTotals.ts";
import { readDailyTotals } from "../../query/blocks/dailyTotals.ts";
import type { QueryContext } from "../../query/context.ts";
import { DAY } from "../../query/stats/chainFigures.ts";
import type { Answer } from "./answer.ts";
import { ActionError, indexedList, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parseOrder } from "./parse.ts";

type Fields = Readonly<Record<string, string | number>>;

/** A row for each day that has blocks, or none for a day that says nothing. */
function daily<D extends { readonly start: number }>(
  read: (context: QueryContext, span: DaySpan) => Promise<readonly D[]>,
  present: (day: D) => Fields | undefined,
) {
  return async (context: QueryContext, parameters: Parameters): Promise<Answer> => {
    const span = { from: requireDay(parameters, "startdate"), to: requireDay(parameters, "enddate") };
    const order = parseOrder(parameters, "asc");
    const rows = (await read(context, span)).flatMap((day) => {
      const fields = present(day);
      return fields === undefined ? [] : [{ ...dateOf(day), ...fields }];
    });
    return indexedList(order === "asc" ? rows : rows.reverse(), "No records found");
  };
}

const dateOf = ({ start }: { readonly start: number }) => ({
  UTCDate: new Date(start * 1000).toISOString().slice(0, 10),
  unixTimeStamp: String(start),
});

const DATE = /^\d{4}-\d\d-\d\d$/;

function requireDay(parameters: Parameters, name: string): number {
  const text = parameters.get(name);
  if (text === undefined) throw new ActionError(`Query parameter '${name}' is required`);
  const day = parseDay(text);
  if (day === undefined) throw new ActionError(`Invalid ${name} format: use yyyy-MM-dd`);
  return day;
}

/** Days since 1970. */
function parseDay(text: string): number | undefined {
  const time = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // The engine takes February 31 for March 3.
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isDay ? time / 1000 / DAY : undefined;
}

const total = (present: (day: DayTotals) => Fields | undefined) => daily(readDailyTotals, present);
const sum = (present: (day: DaySums) => Fields) => daily(readDailySums, present);

export const dailytx = total(({ transactions }) => ({ transactionCount: transactions }));
export const dailynewaddress = total(({ addresses }) => ({ newAddressCount: addresses }));
export const dailygasused = total(({ gasUsed }) => ({ gasUsed: String(gasUsed) }));
export const dailyavgblocktime = total(({ intervals: { count, seconds } }) =>
  count === 0 ? undefined : { blockTime_sec: (seconds / count).toFixed(2) },
);

const coins = (wei: bigint): string => formatAmount(wei, 18);
const mean = (amount: bigint, blocks: number): bigint => divideHalfEven(amount, BigInt(blocks));

/** Four decimals, as Etherscan has. */
const RATIO_PLACES = 4;

export const dailyavgblocksize = sum(({ size, blocks }) => ({ blockSize_bytes: Number(mean(BigInt(size), blocks)) }));
export const dailyavggaslimit = sum(({ gasLimit, blocks }) => ({ gasLimit: String(mean(gasLimit, blocks)) }));
export const dailynetutilization = sum(({ gasUsed, gasLimit }) => ({
  networkUtilization: gasLimit === 0n ? "0" : formatFraction(gasUsed, gasLimit, RATIO_PLACES),
}));
export const dailytxnfee = sum(({ fees }) => ({ transactionFee_Eth: coins(fees) }));
export const dailyblkcount = sum((day) => ({
  blockCount: day.blocks,
  blockRewards_Eth: coins(withoutUncles(day).rewards),
}));
export const dailyblockrewards = sum((day) => ({ blockRewards_Eth: coins(withoutUncles(day).subsidies) }));
export const dailyuncleblkcount = sum((day) => ({
  uncleBlockCount: withoutUncles(day).uncles,
  uncleBlockRewards_Eth: "0",
}));

function withoutUncles(day: DaySums): DaySums {
  if (day.uncles > 0) throw new ActionError("The rewards of uncles are not indexed");
  return day;
}

/** Blockscout's: the fees of one day in wei. */
export async function totalfees(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const text = parameters.get("date");
  if (text === undefined) throw new ActionError("Required date input is missing.");
  const day = parseDay(text);
  if (day === undefined)
    throw new ActionError("An incorrect date input provided. It should be in ISO 8601 format (yyyy-mm-dd).");
  const [found] = await readDailySums(context, { from: day, to: day });
  return succeed(String(found?.fees ?? 0));
}
