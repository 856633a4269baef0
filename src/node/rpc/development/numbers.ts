import { LATEST } from "../../clock.ts";
import { invalidArgument, required } from "../../params/params.ts";

/** A quantity, decimal string or JSON number. */
export function numberParam(params: readonly unknown[], argument: number, absent?: number): number {
  const given = params[argument] ?? absent ?? required(params, argument);
  const number = toNumber(given);
  if (!Number.isSafeInteger(number) || number < 0) throw invalidArgument(argument, "expected a whole number");
  return number;
}

/** Seconds, bounded together with an earlier offset. */
export function secondsParam(params: readonly unknown[], argument: number, before = 0): number {
  const seconds = numberParam(params, argument);
  if (before + seconds > LATEST) throw invalidArgument(argument, `expected at most ${LATEST} seconds`);
  return seconds;
}

/** Timer limit. */
const MAX_INTERVAL = 2 ** 31 - 1;

/** `unit` converts the parameter to milliseconds. */
export function intervalParam(params: readonly unknown[], argument: number, unit: (given: number) => number): number {
  const given = numberParam(params, argument);
  const milliseconds = given * unit(given);
  if (milliseconds > MAX_INTERVAL) throw invalidArgument(argument, `expected at most ${MAX_INTERVAL} ms`);
  return milliseconds;
}

function toNumber(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(given) ? Number(given) : Number.NaN;
}
