import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { kindOf, supplyOf } from "../../../query/tokens/token.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Shape } from "../../openapi/values.ts";
import type { TokenSchema } from "./tokenSchema.ts";

/** Specification, section 2.2, with the field names of older and newer clients. */
export function presentToken(token: KnownToken, rates?: Rates): Shape<typeof TokenSchema> {
  const { state, seen } = token;
  const address = checksumAddress(token.address);
  const holders = String(state.holders);
  return {
    address_hash: address,
    address,
    name: seen?.name.text ?? null,
    symbol: seen?.symbol.text ?? null,
    decimals: decimalsOf(token),
    type: kindOf(token),
    types: state.kinds,
    holders_count: holders,
    holders,
    total_supply: supplyOf(token)?.toString() ?? null,
    labels: token.labels,
    observed_block_number: seen?.block ?? null,
    reputation: "ok",
    exchange_rate: rates?.of(token.address, seen?.decimals ?? null) ?? null,
    coin_price: rates?.coin ?? null,
    ...UNKNOWN,
  };
}

/** Data from outside the chain. */
const UNKNOWN = {
  volume_24h: null,
  circulating_market_cap: null,
  circulating_supply: null,
  icon_url: null,
} as const;

/** "0" for items (specification, section 2.2), unless an ERC-1155 contract reports otherwise. */
export function decimalsOf(token: KnownToken, kind = kindOf(token)): string | null {
  if (kind === "ERC-721") return "0";
  const decimals = token.seen?.decimals ?? (kind === "ERC-1155" ? 0 : null);
  return decimals === null ? null : String(decimals);
}
