import { ChainError } from "../../chain/error.ts";

/** Throws the error that renders the 404 page. */
export function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}
