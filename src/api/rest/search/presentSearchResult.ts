import type { Header } from "../../../chain/block/header.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { BlockView, TransactionView } from "../../../query/transactions/transactionView.ts";
import type { AccountKinds } from "../../../store/accountKinds.ts";
import type { KnownToken } from "../../../store/tokens/tokenReads.ts";
import type { Shape } from "../../openapi/values.ts";
import { timestamp } from "../amounts.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type {
  FoundAddressSchema,
  FoundBlobSchema,
  FoundBlockSchema,
  FoundTokenSchema,
  FoundTransactionSchema,
} from "./searchResultSchema.ts";

/** What clients sort kinds of results by. */
const PRIORITIES = { block: 3, token: 2, transaction: 0, blob: 0, address: 0 } as const;

export function presentFoundBlock({ header }: BlockView): Shape<typeof FoundBlockSchema> {
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

export function presentFoundTransaction({
  transaction,
  outcome,
}: TransactionView): Shape<typeof FoundTransactionSchema> {
  const hash = toHex(transaction.hash);
  return {
    type: "transaction",
    transaction_hash: hash,
    tx_hash: hash,
    url: `/tx/${hash}`,
    timestamp: outcome === undefined ? null : timestamp(outcome.header.timestamp),
    priority: PRIORITIES.transaction,
  };
}

/** `newest` is a block that has a transaction naming it. */
export function presentFoundBlob(versionedHash: Bytes, newest: Header): Shape<typeof FoundBlobSchema> {
  return {
    type: "blob",
    blob_hash: toHex(versionedHash),
    timestamp: timestamp(newest.timestamp),
    priority: PRIORITIES.blob,
  };
}

export function presentFoundAddress(bytes: Bytes, kinds: AccountKinds): Shape<typeof FoundAddressSchema> {
  const address = checksumAddress(bytes);
  const kind = kinds.get(bytes);
  const isContract = kind?.isContract ?? null;
  return {
    type: isContract ? "contract" : "address",
    name: kind?.name ?? null,
    address_hash: address,
    address,
    url: `/address/${address}`,
    is_smart_contract_address: isContract,
    is_smart_contract_verified: false,
    ens_info: null,
    certified: false,
    priority: PRIORITIES.address,
    reputation: "ok",
  };
}

/** `mostHolders` are those of the token that has the most of all with this symbol. */
export function presentFoundToken(token: KnownToken, mostHolders: number): Shape<typeof FoundTokenSchema> {
  const { address, name, symbol, type, holders_count, total_supply } = presentToken(token);
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
    is_copy: mostHolders > token.state.holders,
    total_supply,
    icon_url: null,
    exchange_rate: null,
    circulating_market_cap: null,
    is_smart_contract_address: true,
    is_smart_contract_verified: false,
    is_verified_via_admin_panel: false,
    certified: false,
    priority: PRIORITIES.token,
    reputation: "ok",
  };
}
