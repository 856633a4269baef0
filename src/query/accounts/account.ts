import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { FullTransaction } from "../../store/read/transactions.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { Creation } from "../node/contractCreators.ts";
import type { NodeAccount, ProxyTargets } from "../node/nodeState.ts";
import { hasTokens } from "../stageRanges.ts";
import { readToken } from "../tokens/token.ts";
import type { AddressCounts } from "./counters.ts";
import { readCounts } from "./counters.ts";

/** Who made a contract, and what became of it. */
export interface ContractCreation extends Creation {
  readonly status: "success" | "selfdestructed";
}

/** What an account is after the newest indexed block, as the node says; undefined where it does not. */
export interface AccountState {
  readonly account: NodeAccount | undefined;
  /** Null for what is no proxy of a known kind. */
  readonly proxy: ProxyTargets | null | undefined;
  /** What is known of its implementations. */
  readonly implementations: AddressInfos;
}

export interface Account extends AccountState {
  readonly address: Bytes;
  readonly addresses: AddressInfos;
  /** Whether it has code, if only to delegate to others (EIP-7702); undefined where neither the node nor the index knows. */
  readonly hasCode: boolean | undefined;
  /** The block that the state is after. */
  readonly stateBlock: number | undefined;
  readonly creation: ContractCreation | undefined;
  readonly counts: AddressCounts;
  /** What it is as a token. */
  readonly token: KnownToken | undefined;
}

/** One address: its balance, whether it is a contract, who made it. One nobody has seen is empty. */
export async function readAccount(context: QueryContext, address: Bytes): Promise<Account> {
  const { indexed, counts, token } = await context.store.read(async (session) => {
    const indexed = await readIndexed(session, address);
    const counts = await readCounts(session, address, indexed.range);
    const token = (await hasTokens(session, indexed.range)) ? await readToken(session, address) : undefined;
    return { indexed, counts, token };
  });
  const state = await readState(context, address, indexed.range);
  return {
    address,
    addresses: indexed.addresses,
    ...state,
    hasCode: state.account ? state.account.code.length > 0 : (indexed.addresses.get(address)?.runsCode ?? undefined),
    stateBlock: state.account && indexed.range?.tip.number,
    creation: await readCreation(context, address, indexed, state),
    counts,
    token,
  };
}

export interface Contract extends AccountState {
  readonly creation: ContractCreation | undefined;
}

/** The contract at an address; undefined for an address without code. */
export async function findContract(context: QueryContext, address: Bytes): Promise<Contract | undefined> {
  const indexed = await context.store.read((session) => readIndexed(session, address));
  const state = await readState(context, address, indexed.range);
  const code = state.account?.code;
  const isKnown = indexed.addresses.get(address)?.isContract === true;
  if (!isKnown && code === undefined && context.node !== undefined && indexed.range !== undefined) {
    throw new ChainError("upstream_unavailable", "the node does not say whether there is a contract");
  }
  if (!isKnown && (code === undefined || code.length === 0)) return undefined;
  const creation = await readCreation(context, address, indexed, state);
  if (creation === undefined || indexed.made === undefined) return { ...state, creation };
  const input = await context.node?.creators.codeIn(creation.transaction, address);
  return { ...state, creation: { ...creation, input } };
}

/** What is indexed of one address. */
interface IndexedAccount {
  readonly range: IndexedRange | undefined;
  readonly addresses: AddressInfos;
  /** The transaction that deployed it. */
  readonly deployment: FullTransaction | undefined;
  /** The call that created it, where a contract did and the traces stage knows. */
  readonly made: MinedCall | undefined;
}

async function readIndexed(session: ReadSession, address: Bytes): Promise<IndexedAccount> {
  const { addresses, transactions } = session;
  const id = await addresses.id(address);
  const position = id === undefined ? undefined : await addresses.creation(id);
  const [mined] = position === undefined ? [] : await transactions.at([position]);
  const deployment = mined && (await transactions.full(mined));
  const made = deployment === undefined ? await session.traces.creationOf(address) : undefined;
  return { range: await readIndexedRange(session), addresses: await addresses.infos([address]), deployment, made };
}

async function readState(
  { store, node }: QueryContext,
  address: Bytes,
  range: IndexedRange | undefined,
): Promise<AccountState> {
  const account = range && (await node?.state.account(address, range.tip));
  const proxy = account && range && (await node?.state.proxy(address, account.code, range.tip));
  const targets = proxy?.implementations ?? [];
  const implementations =
    targets.length === 0 ? new Map() : await store.read((session) => session.addresses.infos(targets));
  return { account, proxy, implementations };
}

/** Who made a contract: the transaction that deployed it, or else the call that traces show, indexed or asked for. */
async function readCreation(
  context: QueryContext,
  address: Bytes,
  { deployment, made, range }: IndexedAccount,
  state: AccountState,
): Promise<ContractCreation | undefined> {
  if (deployment !== undefined || made !== undefined) {
    const isGone = range !== undefined && (await isDestroyed(context, address, range, state));
    const status = isGone ? "selfdestructed" : "success";
    if (made !== undefined) {
      return { creator: made.from, transaction: made.mined.transaction.hash, input: undefined, status };
    }
    const { from, hash, input } = deployment!.transaction;
    return { creator: from, transaction: hash, input, status };
  }
  if (isContract(state) !== true || range === undefined) return undefined;
  const creation = await context.node?.creators.of(address, range);
  return creation && { ...creation, status: "success" };
}

/** A contract begins with a nonce of 1 (EIP-161), also where it has no code: one that is gone has none. */
async function isDestroyed(
  { node }: QueryContext,
  address: Bytes,
  { tip }: IndexedRange,
  { account }: AccountState,
): Promise<boolean> {
  return account?.code.length === 0 && (await node?.state.nonce(address, tip)) === 0n;
}

/** An account that delegates (EIP-7702) runs the code of others and has none of its own. */
function isContract({ account, proxy }: AccountState): boolean | undefined {
  return account && account.code.length > 0 && proxy?.type !== "eip7702";
}
