import { ChainError } from "../../chain/error.ts";
import type { HttpFailure } from "../http/failure.ts";
import { answerErrorsAs } from "../http/failure.ts";
import { ParameterError } from "./params.ts";

/** Names the parameter if one is invalid. */
export const answerRestError = answerErrorsAs((failure, error) => ({
  body: error instanceof ParameterError ? presentParameterError(failure, error) : { message: failure.message },
}));

function presentParameterError({ message: title }: HttpFailure, { message, parameter }: ParameterError) {
  const fault = { title: "Invalid value", source: { pointer: `/${parameter}` }, detail: message };
  return { message: title, errors: [fault] };
}

export function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}
