import { UNSEEN } from "../token/tokenText.ts";
import { MAX_ERROR_LENGTH } from "./internalCall.ts";

/** Error message on one line; undefined on success. */
export function readError(error: unknown): string | undefined {
  if (error === undefined || error === null || error === "") return undefined;
  const text = typeof error === "string" ? error.slice(0, MAX_ERROR_LENGTH).replace(UNSEEN, "").trim() : "";
  return text === "" ? "failed" : text;
}
