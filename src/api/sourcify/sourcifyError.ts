import { randomUUID } from "node:crypto";
import { answerErrorsAs } from "../http/failure.ts";
import { FormError } from "../http/formError.ts";

/** Error codes that Sourcify's clients know. */
export class SourcifyError extends Error {
  readonly status: number;
  readonly customCode: string;

  constructor(status: number, customCode: string, message: string) {
    super(message);
    this.status = status;
    this.customCode = customCode;
  }
}

export function presentError(customCode: string, message: string) {
  return { customCode, message, errorId: randomUUID() };
}

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_parameter",
  404: "not_found",
  405: "method_not_allowed",
  413: "invalid_parameter",
  422: "invalid_parameter",
  429: "too_many_requests",
  501: "not_supported",
};

export const answerSourcifyError = answerErrorsAs(({ status, message }, error) => {
  if (error instanceof SourcifyError)
    return { status: error.status, body: presentError(error.customCode, error.message) };
  if (error instanceof FormError)
    return { status: error.statusCode, body: presentError("invalid_parameter", error.message) };
  return { body: presentError(CODES[status] ?? "internal_error", message) };
});
