import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { QueryContext } from "../../query/context.ts";
import type { Rates } from "../../query/exchange/rates.ts";
import { readRates } from "../../query/exchange/rates.ts";
import type { TokenBalance } from "../../query/tokens/balances.ts";
import { listTokenBalances } from "../../query/tokens/balances.ts";
import { listItemsOfToken } from "../../query/tokens/itemsOfToken.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Answer } from "./answer.ts";
import { list } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { parsePage, parsePageRequest, requireAddress } from "./parse.ts";

/** Rows of a page by default, and at most. */
export const HELD_ROWS = { usual: 100, max: 1000 };

const TEXTS = { missing: "Query parameter address is required", invalid: "Invalid address format" };
const TOKEN_TEXTS = {
  missing: "Query parameter contract address is required",
  invalid: "Invalid contract address format",
};

const NONE = "No tokens found";

/** ERC-20 tokens of an address, with what one of them is worth. */
export async function addresstokenbalance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const [balances, rates] = await Promise.all([readHeld(context, parameters, "ERC-20"), readRates(context)]);
  const rows = balances.map((balance) => ({
    ...presentHeld(balance),
    TokenDivisor: String(balance.token.seen?.decimals ?? 0),
    TokenPriceUSD: priceOf(balance.token, rates),
  }));
  return list(rows, NONE);
}

export function priceOf({ address, seen }: KnownToken, rates: Rates): string {
  return rates.of(address, seen?.decimals ?? null) ?? "0";
}

/** ERC-721 tokens of an address. */
export async function addresstokennftbalance(context: QueryContext, parameters: Parameters): Promise<Answer> {
  return list((await readHeld(context, parameters, "ERC-721")).map(presentHeld), NONE);
}

async function readHeld(context: QueryContext, parameters: Parameters, kind: "ERC-20" | "ERC-721") {
  const address = requireAddress(parameters, "address", TEXTS);
  const request = parsePageRequest(parameters, HELD_ROWS.max, HELD_ROWS.usual);
  return (await listTokenBalances(context, address, request, [kind])).balances;
}

function presentHeld({ token, amount }: TokenBalance) {
  return {
    TokenAddress: toHex(token.address),
    TokenName: token.seen?.name.text ?? "",
    TokenSymbol: token.seen?.symbol.text ?? "",
    TokenQuantity: amount.toString(),
  };
}

/** Ids of one ERC-721 that an address has. */
export async function addresstokennftinventory(context: QueryContext, parameters: Parameters): Promise<Answer> {
  const address = requireAddress(parameters, "address", TEXTS);
  const token = requireAddress(parameters, "contractaddress", TOKEN_TEXTS);
  const page = parsePage(parameters, HELD_ROWS.max, HELD_ROWS.usual);
  const ids = await listItemsOfToken(context, address, token, page);
  const rows = ids.map((id) => ({ TokenAddress: toHex(token), TokenId: uintToBigInt(id).toString() }));
  return list(rows, "No records found");
}
