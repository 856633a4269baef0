import { HttpError } from "./failure.ts";

/** A large project has one field per file. */
export const MAX_FIELDS = 1000;

export class FormError extends HttpError {
  constructor(message: string, status = 400) {
    super(status);
    this.message = message;
  }
}

export function tooManyFields(): FormError {
  return new FormError(`A form has at most ${MAX_FIELDS} fields`, 413);
}
