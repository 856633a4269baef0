import type { Bytes } from "../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Creation } from "../node/contractCreators.ts";
import type { NodeAccount, ProxyTargets } from "../node/nodeState.ts";
import { hasTokens } from "../tokens/tokenStage.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { WholeTransaction } from "../../store/transactions.ts";
import type { Context } from "../context.ts";
import type { Shape } from "../../api/openapi/values.ts";
import { parseAddress } from "../../api/rest/params.ts";
import { presentToken } from "../../api/rest/tokens/presentToken.ts";
import type { AccountSchema } from "../../api/rest/addresses/accountSchema.ts";
import type { Counts } from "./counters.ts";
import { readCounts } from "./counters.ts";
import { presentAddress } from "../../api/rest/addresses/presentAddress.ts";

/** What the index knows of one address. */
export interface IndexedAccount {
  readonly range: IndexedRange | undefined;
  readonly kinds: AccountKinds;
  /** The transaction that deployed it. */
  readonly creation: WholeTransaction | undefined;
}

/** What the node adds; undefined where it does not say. */
export interface TrackedState {
  readonly account: NodeAccount | undefined;
  readonly proxy: ProxyTargets | null | undefined;
  /** Of those who run in its place. */
  readonly kinds: AccountKinds;
}

/** Who made a contract, and what became of it. */
interface KnownCreation extends Creation {
  readonly status: "success" | "selfdestructed";
}

/** One address: its balance, whether it is a contract, its name (specification, section 4.1). One nobody has seen is empty. */
export async function serveAccount(context: Context, text: string): Promise<object> {
  const address = parseAddress(text);
  const { store } = context;
  const { indexed, counts, token } = await store.read(async (session) => {
    const indexed = await readAccount(session, address);
    const counts = await readCounts(session, address, indexed.range);
    return { indexed, counts, token: await readTokenOf(session, address, indexed.range) };
  });
  const state = await readState(context, address, indexed.range);
  const creation = await readCreation(context, address, indexed, state);
  return presentAccount(address, indexed, { ...state, creation }, counts, token);
}

export async function readAccount(session: ReadSession, address: Bytes): Promise<IndexedAccount> {
  const id = await session.addresses.id(address);
  const position = id === undefined ? undefined : await session.addresses.creation(id);
  const [mined] = position === undefined ? [] : await session.transactions.at([position]);
  const creation = mined && (await session.transactions.whole(mined));
  return { range: await readIndexedRange(session), kinds: await session.addresses.kinds([address]), creation };
}

async function readTokenOf(
  session: ReadSession,
  address: Bytes,
  range: IndexedRange | undefined,
): Promise<KnownToken | undefined> {
  const id = (await hasTokens(session, range)) ? await session.addresses.id(address) : undefined;
  return id === undefined ? undefined : (await session.tokens.byId([id])).get(id);
}

/** Asks the node for what the account has after the newest indexed block. */
export async function readState(
  { store, nodeState }: Context,
  address: Bytes,
  range: IndexedRange | undefined,
): Promise<TrackedState> {
  const account = range && (await nodeState?.account(address, range.tip));
  const proxy = account && range && (await nodeState?.proxy(address, account.code, range.tip));
  const kinds = await store.read((session) => session.addresses.kinds(proxy?.implementations ?? []));
  return { account, proxy, kinds };
}

export function presentProxy({ proxy, kinds }: TrackedState) {
  const implementations = (proxy?.implementations ?? []).map((address) => ({
    address_hash: checksumAddress(address),
    address: checksumAddress(address),
    name: kinds.get(address)?.name ?? null,
  }));
  return { proxy_type: proxy?.type ?? null, implementations };
}

/** Who made a contract: the transaction that deployed it, or else the call that traces tell of. */
export async function readCreation(
  context: Context,
  address: Bytes,
  indexed: IndexedAccount,
  state: TrackedState,
): Promise<KnownCreation | undefined> {
  const { creation, range } = indexed;
  if (creation !== undefined) {
    const { from, hash, input } = creation.transaction;
    const status = (await isGone(context, address, indexed, state)) ? "selfdestructed" : "success";
    return { creator: from, transaction: hash, input, status };
  }
  if (hasCode(state) !== true || range === undefined) return undefined;
  const told = await context.contractCreators?.of(address, range);
  return told && { ...told, status: "success" };
}

/** A contract begins with a nonce of 1 (EIP-161), also where it has no code: one that is gone has none. */
async function isGone(
  { nodeState }: Context,
  address: Bytes,
  { range }: IndexedAccount,
  { account }: TrackedState,
): Promise<boolean> {
  return account?.code.length === 0 && (await nodeState?.nonce(address, range!.tip)) === 0n;
}

/** An account that delegates (EIP-7702) runs the code of others and has none of its own. */
function hasCode({ account, proxy }: TrackedState): boolean | undefined {
  return account && account.code.length > 0 && proxy?.type !== "eip7702";
}

function presentCreation(creation: KnownCreation | undefined) {
  const hash = creation === undefined ? null : toHex(creation.transaction);
  return {
    creator_address_hash: creation === undefined ? null : checksumAddress(creation.creator),
    creation_transaction_hash: hash,
    creation_tx_hash: hash,
    creation_status: creation?.status ?? null,
  };
}

function presentAccount(
  address: Bytes,
  indexed: IndexedAccount,
  state: TrackedState & { readonly creation: KnownCreation | undefined },
  counts: Counts,
  token: KnownToken | undefined,
): Shape<typeof AccountSchema> {
  const { account } = state;
  const named = presentAddress(address, indexed.kinds);
  return {
    ...named,
    is_contract: hasCode(state) ?? named.is_contract,
    ...presentProxy(state),
    ...presentCreation(state.creation),
    token: token === undefined ? null : presentToken(token),
    coin_balance: account?.balance.toString() ?? null,
    block_number_balance_updated_at: account === undefined ? null : indexed.range!.tip.number,
    has_logs: counts.logs > 0,
    has_tokens: counts.assets === null ? null : counts.assets > 0,
    has_token_transfers: counts.transfers === null ? null : counts.transfers > 0,
    has_validated_blocks: counts.validations > 0,
    has_beacon_chain_withdrawals: null,
    exchange_rate: null,
    watchlist_address_id: null,
  };
}
