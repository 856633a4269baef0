import { UNSEEN } from "../token/tokenText.ts";
import { LONGEST_ERROR } from "./internalCall.ts";

/** Why a call failed, as one line; undefined where it did not. */
export function readError(error: unknown): string | undefined {
  if (error === undefined || error === null || error === "") return undefined;
  const text = typeof error === "string" ? error.slice(0, LONGEST_ERROR).replace(UNSEEN, "").trim() : "";
  return text === "" ? "failed" : text;
}
