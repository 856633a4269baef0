import type { Header } from "../../../chain/block/header.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { ExactResult, FoundContract, SearchPage, SearchResult } from "../../../query/search.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Shape } from "../../openapi/values.ts";
import { timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type {
  FoundAddressSchema,
  FoundBlobSchema,
  FoundBlockSchema,
  FoundTokenSchema,
  FoundTransactionSchema,
  RedirectSchema,
  SearchResultSchema,
} from "./searchResultSchema.ts";

export function presentSearchPage(page: SearchPage, rates: Rates): Envelope<Shape<typeof SearchResultSchema>> {
  const { results, addresses, info } = page;
  return presentPage(
    results.map((result) => presentResult(result, addresses, rates)),
    info,
  );
}

function presentResult(result: SearchResult, addresses: AddressInfos, rates: Rates): Shape<typeof SearchResultSchema> {
  switch (result.kind) {
    case "block":
      return presentFoundBlock(result.header);
    case "transaction":
      return presentFoundTransaction(result.hash, result.header);
    case "blob":
      return presentFoundBlob(result.versionedHash, result.newest);
    case "token":
      return presentFoundToken(result.token, result.maxHolders, addresses, rates);
    case "contract":
      return presentFoundContract(result, addresses);
    case "address":
      return presentFoundAddress(result.address, addresses);
  }
}

type Redirect = Shape<typeof RedirectSchema>;

/** Target of an unambiguous query. */
export function presentRedirect(
  target: ExactResult | { readonly kind: "address"; readonly address: Bytes } | undefined,
): Redirect {
  if (target === undefined) return { redirect: false, type: null, parameter: null };
  return { redirect: true, type: target.kind, parameter: parameterOf(target) };
}

function parameterOf(target: ExactResult | { readonly kind: "address"; readonly address: Bytes }): string {
  if (target.kind === "address") return checksumAddress(target.address);
  if (target.kind === "block") return toHex(target.header.hash);
  return toHex(target.kind === "blob" ? target.versionedHash : target.hash);
}

const PRIORITIES = { block: 3, token: 2, transaction: 0, blob: 0, address: 0 } as const;

function presentFoundBlock(header: Header): Shape<typeof FoundBlockSchema> {
  const hash = toHex(header.hash);
  return {
    type: "block",
    block_number: header.number,
    block_hash: hash,
    url: `/block/${hash}`,
    timestamp: timestamp(header.timestamp),
    block_type: "block",
    priority: PRIORITIES.block,
  };
}

function presentFoundTransaction(id: Bytes, header: Header | undefined): Shape<typeof FoundTransactionSchema> {
  const hash = toHex(id);
  return {
    type: "transaction",
    transaction_hash: hash,
    tx_hash: hash,
    url: `/tx/${hash}`,
    timestamp: header === undefined ? null : timestamp(header.timestamp),
    priority: PRIORITIES.transaction,
  };
}

/** `newest` is a block with a transaction that names the blob. */
function presentFoundBlob(versionedHash: Bytes, newest: Header): Shape<typeof FoundBlobSchema> {
  return {
    type: "blob",
    blob_hash: toHex(versionedHash),
    timestamp: timestamp(newest.timestamp),
    priority: PRIORITIES.blob,
  };
}

function presentFoundAddress(bytes: Bytes, infos: AddressInfos): Shape<typeof FoundAddressSchema> {
  const address = checksumAddress(bytes);
  const info = infos.get(bytes);
  const isContract = info?.isContract ?? null;
  return {
    type: isContract ? "contract" : "address",
    name: info?.name ?? null,
    address_hash: address,
    address,
    url: `/address/${address}`,
    is_smart_contract_address: isContract,
    is_smart_contract_verified: info?.isVerified ?? false,
    ens_info: null,
    certified: false,
    priority: PRIORITIES.address,
    reputation: "ok",
  };
}

/** Verified contracts match by name, whatever else is indexed of them. */
function presentFoundContract({ address, name }: FoundContract, infos: AddressInfos): Shape<typeof FoundAddressSchema> {
  return {
    ...presentFoundAddress(address, infos),
    type: "contract",
    name,
    is_smart_contract_address: true,
    is_smart_contract_verified: true,
  };
}

/** `mostHolders` is the maximum over tokens with this symbol. */
function presentFoundToken(
  token: KnownToken,
  maxHolders: number,
  infos: AddressInfos,
  rates: Rates,
): Shape<typeof FoundTokenSchema> {
  const { address, name, symbol, type, holders_count, total_supply, exchange_rate } = presentToken(token, rates);
  return {
    type: "token",
    name,
    symbol,
    address_hash: address,
    address,
    token_url: `/token/${address}`,
    address_url: `/address/${address}`,
    token_type: type,
    holders_count,
    is_copy: maxHolders > token.state.holders,
    total_supply,
    icon_url: null,
    exchange_rate,
    circulating_market_cap: null,
    is_smart_contract_address: true,
    is_smart_contract_verified: infos.get(token.address)?.isVerified ?? false,
    is_verified_via_admin_panel: false,
    certified: false,
    priority: PRIORITIES.token,
    reputation: "ok",
  };
}
