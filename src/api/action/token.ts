import { toHex } from "../../chain/encoding/hex.ts";
import type { QueryContext } from "../../query/context.ts";
import { listHolders } from "../../query/tokens/holders.ts";
import { findToken, kindOf, supplyOf } from "../../query/tokens/token.ts";
import { MAX_BALANCES } from "./account.ts";
import type { Answer } from "./answer.ts";
import { ActionError, list, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parsePageRequest, requireAddress } from "./parse.ts";

const TEXTS = {
  missing: "Query parameter contract address is required",
  invalid: "Invalid contract address hash",
};

export async function getToken(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const token = await findToken(context, requireAddress(parameters, "contractaddress", TEXTS));
  if (token === undefined) throw new ActionError("Contract address not found");
  const { seen } = token;
  return succeed({
    type: kindOf(token),
    name: seen?.name.text ?? "",
    symbol: seen?.symbol.text ?? "",
    totalSupply: (supplyOf(token) ?? 0n).toString(),
    decimals: String(seen?.decimals ?? 0),
    contractAddress: toHex(token.address),
    cataloged: true,
  });
}

export async function getTokenHolders(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "contractaddress", TEXTS);
  const page = await listHolders(context, address, parsePageRequest(parameters, MAX_BALANCES, 10));
  if (page === undefined) throw new ActionError("Contract address not found");
  const rows = page.holders.map(({ holder, amount }) => ({ address: toHex(holder), value: amount.toString() }));
  return list(rows, "No holders found");
}
