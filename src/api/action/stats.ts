import type { QueryContext } from "../../query/context.ts";
import { findToken, supplyOf } from "../../query/tokens/token.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { requireAddress } from "./parse.ts";

const TEXTS = {
  missing: "Query parameter contract address is required",
  invalid: "Invalid contract address format",
};

/** The total supply of a token, in its smallest unit (specification, section 4.2). */
export async function tokensupply(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const token = await findToken(context, requireAddress(parameters, "contractaddress", TEXTS));
  if (token === undefined) throw new ActionError("Contract address not found");
  return succeed((supplyOf(token) ?? 0n).toString());
}
