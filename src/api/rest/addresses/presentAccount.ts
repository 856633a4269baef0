import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Account, AccountState, ContractCreation } from "../../../query/accounts/account.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import type { AccountRow } from "../../../query/ranking/describeAccounts.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { percentage } from "../amounts.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type { AccountSchema, RankedAccountSchema } from "./accountSchema.ts";
import { presentAddress } from "./presentAddress.ts";

export function presentAccount(found: Account, rates: Rates): Shape<typeof AccountSchema> {
  const { address, addresses, account, hasCode, creation, counts, token, stateBlock } = found;
  return {
    ...presentAddress(address, addresses),
    is_contract: hasCode ?? null,
    is_verified: addresses.get(address)?.isVerified === true || runsVerified(found),
    ...presentProxy(found),
    ...presentCreation(creation),
    token: token === undefined ? null : presentToken(token, rates),
    coin_balance: account?.balance.toString() ?? null,
    block_number_balance_updated_at: stateBlock ?? null,
    has_logs: counts.logs > 0,
    has_tokens: counts.assets === null ? null : counts.assets > 0,
    has_token_transfers: counts.transfers === null ? null : counts.transfers > 0,
    has_validated_blocks: counts.minedBlocks > 0,
    has_beacon_chain_withdrawals: null,
    exchange_rate: rates.coin ?? null,
    watchlist_address_id: null,
  };
}

export function presentRankedAccount(
  { address, balance, transactions }: AccountRow,
  addresses: AddressInfos,
  total: bigint,
): Shape<typeof RankedAccountSchema> {
  return {
    ...presentAddress(address, addresses),
    coin_balance: balance.toString(),
    percentage: percentage(balance, total),
    transactions_count: String(transactions),
  };
}

export function presentProxy({ proxy, implementations }: AccountState) {
  const presented = (proxy?.implementations ?? []).map((address) => ({
    address_hash: checksumAddress(address),
    address: checksumAddress(address),
    name: implementations.get(address)?.name ?? null,
  }));
  return { proxy_type: proxy?.type ?? null, implementations: presented };
}

function presentCreation(creation: ContractCreation | undefined) {
  const hash = creation === undefined ? null : toHex(creation.transaction);
  return {
    creator_address_hash: creation === undefined ? null : checksumAddress(creation.creator),
    creation_transaction_hash: hash,
    creation_tx_hash: hash,
    creation_status: creation?.status ?? null,
  };
}

/** Minimal proxies have no source of their own. */
const WITHOUT_SOURCE = new Set<string>(["eip1167", "minimal_proxy", "clone_with_immutable_arguments", "eip7702"]);

function runsVerified({ proxy, implementations }: AccountState): boolean {
  if (proxy === null || proxy === undefined || !WITHOUT_SOURCE.has(proxy.type)) return false;
  const targets = proxy.implementations;
  return targets.length > 0 && targets.every((target) => implementations.get(target)?.isVerified === true);
}
