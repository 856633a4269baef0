import { invalidArgument, required } from "../../params/params.ts";

/** A number as development tools send it: a quantity, a decimal string or a JSON number. */
export function numberParam(params: readonly unknown[], argument: number, absent?: number): number {
  const given = params[argument] ?? absent ?? required(params, argument);
  const number = toNumber(given);
  if (!Number.isSafeInteger(number) || number < 0) throw invalidArgument(argument, "expected a whole number");
  return number;
}

function toNumber(given: unknown): number {
  if (typeof given === "number") return given;
  return typeof given === "string" && /^(0x[0-9a-f]+|\d+)$/i.test(given) ? Number(given) : Number.NaN;
}
