import { HttpError } from "./failure.ts";

/** Fields of one form: the files of a large project, each with its name. */
export const MAX_FIELDS = 1000;

/** A body that cannot be read. */
export class FormError extends HttpError {
  constructor(message: string, status = 400) {
    super(status);
    this.message = message;
  }
}

export function tooManyFields(): FormError {
  return new FormError(`A form has at most ${MAX_FIELDS} fields`, 413);
}
