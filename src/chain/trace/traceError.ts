import { UNSEEN } from "../token/tokenText.ts";
import { MAX_ERROR_LENGTH } from "./internalCall.ts";

/** Why a call failed, as one line; undefined where it did not. */
export function readError(error: unknown): string | undefined {
  if (error === undefined || error === null || error === "") return undefined;
  const text = typeof error === "string" ? error.slice(0, MAX_ERROR_LENGTH).replace(UNSEEN, "").trim() : "";
  return text === "" ? "failed" : text;
}
