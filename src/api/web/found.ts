import { ChainError } from "../../chain/error.ts";

/** What is not there is answered with a page that says so. */
export function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}
