import { parseInteger } from "../../chain/encoding/parse.ts";
import { ParameterError } from "./params.ts";

const MAX_TIME = 40;

/** Blockscout's clients send `null` for absent values. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === "" || value === "null";

/** Unix milliseconds; undefined if absent. */
export function parseTime(value: unknown, parameter: string): number | undefined {
  if (isAbsent(value)) return undefined;
  const time = typeof value === "string" && value.length <= MAX_TIME ? timeIn(value) : Number.NaN;
  if (Number.isNaN(time)) throw new ParameterError(parameter, "a time of ISO 8601, or seconds since 1970");
  return time;
}

const timeIn = (text: string): number => {
  const seconds = parseInteger(text, 12);
  return seconds === undefined ? Date.parse(text) : seconds * 1000;
};
