import type { QueryContext } from "../../query/context.ts";
import type { ActionRequest } from "./action.ts";
import type { Answer } from "./answer.ts";
import { succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

/** Units of the rate limit in the place of Etherscan's credits. */
export async function getapilimit(
  _context: QueryContext,
  _parameters: Parameters,
  { allowance }: ActionRequest,
): Promise<Answer> {
  const { units, max, seconds } = allowance() ?? NO_LIMIT;
  const available = Math.max(Math.floor(units), 0);
  return succeed({
    creditsUsed: max - available,
    creditsAvailable: available,
    creditLimit: max,
    limitInterval: `${seconds} seconds`,
    intervalExpiryTimespan: timespan(max === units ? 0 : Math.ceil(((max - units) * seconds) / max)),
  });
}

const NO_LIMIT = { units: Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, seconds: 1 };

/** `hh:mm:ss`. */
function timespan(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
