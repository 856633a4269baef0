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

export interface ContractCreation extends Creation {
  readonly status: "success" | "selfdestructed";
}

/** Account after the newest indexed block, according to the node. */
export interface AccountState {
  readonly account: NodeAccount | undefined;
  readonly proxy: ProxyTargets | null | undefined;
  readonly implementations: AddressInfos;
}

export interface Account extends AccountState {
  readonly address: Bytes;
  readonly addresses: AddressInfos;
  /** Includes EIP-7702 delegations; undefined if neither node nor index knows. */
  readonly hasCode: boolean | undefined;
  readonly stateBlock: number | undefined;
  readonly creation: ContractCreation | undefined;
  readonly counts: AddressCounts;
  readonly token: KnownToken | undefined;
}

/** An unknown address is an empty account. */
export async function readAccount(context: QueryContext, address: Bytes): Promise<Account> {
  const { indexed, counts, token } = await context.store.read(async (session) => {
    const [indexed, counts, token, hasStage] = await Promise.all([
      readIndexed(session, address),
      readCounts(session, address),
      readToken(session, address),
      readIndexedRange(session).then((range) => hasTokens(session, range)),
    ]);
    return { indexed, counts, token: hasStage ? token : undefined };
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

/** Undefined for an address without code. */
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

interface IndexedAccount {
  readonly range: IndexedRange | undefined;
  readonly addresses: AddressInfos;
  readonly deployment: FullTransaction | undefined;
  /** The creating internal call, if the traces stage has it. */
  readonly made: MinedCall | undefined;
}

async function readIndexed(session: ReadSession, address: Bytes): Promise<IndexedAccount> {
  const [range, addresses, made] = await Promise.all([
    readIndexedRange(session),
    session.addresses.infos([address]),
    readMade(session, address),
  ]);
  return { range, addresses, ...made };
}

async function readMade(session: ReadSession, address: Bytes): Promise<Pick<IndexedAccount, "deployment" | "made">> {
  const { addresses, transactions } = session;
  const position = await addresses.creationOf(address);
  const [mined] = position === undefined ? [] : await transactions.at([position]);
  const deployment = mined && (await transactions.full(mined));
  const made = deployment === undefined ? await session.traces.creationOf(address) : undefined;
  return { deployment, made };
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

/** Deployment transaction, or else the creating call from indexed or requested traces. */
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

/** A contract's nonce starts at 1 (EIP-161), even without code; a destroyed one has nonce 0. */
async function isDestroyed(
  { node }: QueryContext,
  address: Bytes,
  { tip }: IndexedRange,
  { account }: AccountState,
): Promise<boolean> {
  return account?.code.length === 0 && (await node?.state.nonce(address, tip)) === 0n;
}

/** EIP-7702 accounts have no code of their own. */
function isContract({ account, proxy }: AccountState): boolean | undefined {
  return account && account.code.length > 0 && proxy?.type !== "eip7702";
}
