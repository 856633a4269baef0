import { formatAmount, formatFraction, unitsOf } from "../../exchange/decimal.ts";
import { listAccounts } from "../../query/accounts/accounts.ts";
import type { QueryContext } from "../../query/context.ts";
import { readCoinPrice } from "../../query/exchange/rates.ts";
import { findToken, supplyOf } from "../../query/tokens/token.ts";
import { TextResponse } from "../http/responseCache.ts";
import type { Answer } from "./answer.ts";
import { ActionError, succeed } from "./answer.ts";
import type { Parameters } from "./parameters.ts";
import { requireAddress } from "./parse.ts";

const TEXTS = {
  missing: "Query parameter contract address is required",
  invalid: "Invalid contract address format",
};

/** In smallest units; with `cmc`, in whole tokens as plain text (specification, section 4.2). */
export async function tokensupply(context: QueryContext, parameters: Parameters): Promise<Answer | TextResponse> {
  const token = await findToken(context, requireAddress(parameters, "contractaddress", TEXTS));
  if (token === undefined) throw new ActionError("Contract address not found");
  const supply = supplyOf(token) ?? 0n;
  if (parameters.get("cmc") !== "true") return succeed(supply.toString());
  return new TextResponse(formatFraction(supply, unitsOf(token.seen?.decimals ?? 0), CMC_PLACES), "text/plain");
}

const CMC_PLACES = 9;

/** Sum of all indexed accounts in wei: blocks do not state the supply. */
export async function ethsupply(context: QueryContext): Promise<Answer> {
  const { total } = await listAccounts(context, { page: 1, pageSize: 1, cursor: undefined });
  return succeed(total.toString());
}

/** The same in whole coins. */
export async function coinsupply(context: QueryContext): Promise<Answer> {
  const { total } = await listAccounts(context, { page: 1, pageSize: 1, cursor: undefined });
  return succeed(formatAmount(total, 18));
}

/** Etherscan's field names. */
export async function ethprice(context: QueryContext): Promise<Answer> {
  const { btc, usd, timestamp } = await presentPrice(context);
  return succeed({ ethbtc: btc, ethbtc_timestamp: timestamp, ethusd: usd, ethusd_timestamp: timestamp });
}

/** Blockscout's field names. */
export async function coinprice(context: QueryContext): Promise<Answer> {
  const { btc, usd, timestamp } = await presentPrice(context);
  return succeed({ coin_btc: btc, coin_btc_timestamp: timestamp, coin_usd: usd, coin_usd_timestamp: timestamp });
}

/** Unknown values are 0, since clients parse numbers. There is no bitcoin price. */
async function presentPrice(context: QueryContext) {
  const price = await readCoinPrice(context);
  return { btc: "0", usd: price?.usd ?? "0", timestamp: String(price?.timestamp ?? 0) };
}
