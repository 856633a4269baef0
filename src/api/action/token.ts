import { toHex } from "../../chain/encoding/hex.ts";
import { formatAmount } from "../../exchange/decimal.ts";
import type { QueryContext } from "../../query/context.ts";
import { readRates } from "../../query/exchange/rates.ts";
import { listHolders } from "../../query/tokens/holders.ts";
import { findToken, kindOf, readTokenCounters, supplyOf } from "../../query/tokens/token.ts";
import { MAX_BALANCES } from "./account.ts";
import type { Answer } from "./answer.ts";
import { ActionError, list, succeed } from "./answer.ts";
import { PROFILE } from "./etherscanSchema.ts";
import { HELD_ROWS, priceOf } from "./holdings.ts";
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

/** The same with Etherscan's names. */
export async function tokenholderlist(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const page = await readHolders(context, parameters);
  return list(
    page.holders.map(({ holder, amount }) => presentHolder(toHex(holder), amount.toString())),
    "No holders found",
  );
}

/** Neither while the node has not told whether the address has code. */
const HOLDER_TYPES = new Map<boolean | null | undefined, string>([
  [true, "C"],
  [false, "E"],
]);

/** In whole tokens, and whether a holder is a contract. */
export async function topholders(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "contractaddress", TEXTS);
  const [{ holders, addresses }, token] = await Promise.all([
    readHolders(context, parameters),
    findToken(context, address),
  ]);
  const decimals = token?.seen?.decimals ?? 0;
  const rows = holders.map(({ holder, amount }) => ({
    ...presentHolder(toHex(holder), formatAmount(amount, decimals)),
    TokenHolderAddressType: HOLDER_TYPES.get(addresses.get(holder)?.isContract) ?? "",
  }));
  return list(rows, "No holders found");
}

async function readHolders(context: QueryContext, parameters: Parameters) {
  const address = requireAddress(parameters, "contractaddress", TEXTS);
  const page = await listHolders(context, address, parsePageRequest(parameters, HELD_ROWS.max, HELD_ROWS.usual));
  if (page === undefined) throw new ActionError("Contract address not found");
  return page;
}

const presentHolder = (address: string, quantity: string) => ({
  TokenHolderAddress: address,
  TokenHolderQuantity: quantity,
});

export async function tokenholdercount(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const counters = await readTokenCounters(context, requireAddress(parameters, "contractaddress", TEXTS));
  if (counters === undefined) throw new ActionError("Contract address not found");
  return succeed(String(counters.holders));
}

const NO_PROFILE = Object.fromEntries(PROFILE.map((name) => [name, ""]));

export async function tokeninfo(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "contractaddress", TEXTS);
  const [token, rates] = await Promise.all([findToken(context, address), readRates(context)]);
  if (token === undefined) throw new ActionError("Contract address not found");
  const { seen } = token;
  const decimals = seen?.decimals ?? 0;
  return succeed([
    {
      contractAddress: toHex(token.address),
      tokenName: seen?.name.text ?? "",
      symbol: seen?.symbol.text ?? "",
      divisor: String(decimals),
      tokenType: kindOf(token).replace("-", ""),
      totalSupply: formatAmount(supplyOf(token) ?? 0n, decimals),
      blueCheckmark: "false",
      ...NO_PROFILE,
      tokenPriceUSD: priceOf(token, rates),
    },
  ]);
}
