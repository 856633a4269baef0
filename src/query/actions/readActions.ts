import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { transfersOfLogs } from "../../chain/token/events/logTransfers.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { ListedReceipt, ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import { choosePools } from "../exchange/choosePools.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import { copiesAmong } from "../names/copiesAmong.ts";
import type { Action, ActionPool, DelegationAction } from "./action.ts";
import { addressesIn } from "./actionParts.ts";
import type { KnownContracts } from "./classify.ts";
import { classifyActions } from "./classify.ts";
import { poolEventsIn } from "./exchangeActions.ts";
import { partiesOfApproval } from "./transferActions.ts";

/** Logs of a transaction beyond which only its call is named. */
export const MAX_LOGS = 200;

/** A transaction and its logs; undefined if they are too many to read. */
export interface LoggedTransaction {
  readonly transaction: ListedTransaction;
  readonly receipt: ListedReceipt;
  readonly logs: readonly Log[] | undefined;
}

/** Actions of transactions in their order, with the infos of the accounts and tokens that took part. */
export interface ReadActions {
  readonly actions: readonly ReadAction[];
  readonly addresses: AddressInfos;
  /** Tokens whose symbol another token with more holders has. */
  readonly copies: ReadonlySet<KnownToken>;
}

export interface ReadAction {
  readonly actions: readonly Action[];
  readonly isComplete: boolean;
}

type Shown = (actions: readonly Action[]) => readonly Action[];

/** Of the actions, only those that are `shown` are given the infos of their accounts. */
export async function readActions(
  context: QueryContext,
  session: ReadSession,
  logged: readonly LoggedTransaction[],
  shown: Shown = (actions) => actions,
): Promise<ReadActions> {
  const { settings } = context.exchange;
  const logs = logged.flatMap((each) => each.logs ?? []);
  const reading = readTokens(session, [...new Set(logs.map(({ address }) => address))]);
  const [tokens, { pools, traded }, { read, parties, infos }] = await Promise.all([
    reading,
    readPools(session, logs, settings),
    reading.then((tokens) => readAccounts(session, logged, knownContracts(tokens, new Map(), settings), shown)),
  ]);
  const known = knownContracts(tokens, pools, settings);
  const addresses = new Map(infos);
  const actions = read.map((each, at) => {
    if (each !== undefined) return each;
    const late = readOne(logged[at]!, known);
    for (const address of shown(late.actions).flatMap(addressesIn)) {
      const info = infos.get(parties.get(toHex(address)) ?? address);
      if (info !== undefined) addresses.set(address, info);
    }
    return late;
  });
  const all = [...new Set([...tokens.values(), ...traded.values()])];
  const copies = all.length === 0 ? new Set<KnownToken>() : await copiesAmong(session, all);
  return { actions, addresses, copies: context.names.withoutPools(copies) };
}

const knownContracts = (
  tokens: ReadonlyMap<Bytes, KnownToken>,
  pools: ReadonlyMap<Hex, ActionPool>,
  { wrappedCoin }: ExchangeSettings,
): KnownContracts => ({
  tokenAt: (address) => tokens.get(address),
  poolAt: (hex) => pools.get(hex),
  wrappedCoin,
});

/**
 * Transactions without events of pools are classified while pools are read. Of the others, the infos of all parties are read,
 * before it is known which of them an action names: that would take further rounds.
 */
async function readAccounts(
  session: ReadSession,
  logged: readonly LoggedTransaction[],
  known: KnownContracts,
  shown: Shown,
) {
  const parties = new Map<Hex, Bytes>();
  const named: Bytes[] = [];
  const read = logged.map((each) => {
    if (poolEventsIn(each.logs ?? []).length > 0) {
      for (const address of partiesOf(each)) parties.set(toHex(address), address);
      return undefined;
    }
    const early = readOne(each, known);
    named.push(...shown(early.actions).flatMap(addressesIn));
    return early;
  });
  return { read, parties, infos: await session.addresses.infos([...named, ...parties.values()]) };
}

/** All addresses that an action may name. */
function partiesOf({ transaction, receipt, logs = [] }: LoggedTransaction): Bytes[] {
  const others = [receipt.contractAddress, ...(transaction.authorizationList ?? []).map(({ address }) => address)];
  return [
    transaction.from,
    ...others.filter((address) => address !== null),
    ...(transaction.to === null ? [] : [transaction.to]),
    ...transfersOfLogs(logs).flatMap(({ from, to }) => [from, to]),
    ...logs.flatMap(partiesOfApproval),
  ];
}

function readOne({ transaction: tx, receipt, logs }: LoggedTransaction, known: KnownContracts): ReadAction {
  if (receipt.status === 0) return { actions: [], isComplete: true };
  const actions = classifyActions(
    {
      from: tx.from,
      to: tx.to,
      value: uintToBigInt(tx.value),
      created: tx.to === null ? (receipt.contractAddress ?? undefined) : undefined,
      blobs: tx.blobVersionedHashes?.length ?? 0,
      logs: logs ?? [],
      delegations: delegationsIn(tx),
    },
    known,
  );
  return { actions, isComplete: logs !== undefined };
}

/** Signers are not recovered here, so whether they apply is not known. */
function delegationsIn({ authorizationList }: ListedTransaction): DelegationAction[] {
  return (authorizationList ?? []).map(({ address }) => ({
    type: "delegate",
    account: undefined,
    delegate: address.every((byte) => byte === 0) ? undefined : address,
    isApplied: undefined,
  }));
}

/** Keyed by identity of the addresses. */
async function readTokens(session: ReadSession, addresses: readonly Bytes[]): Promise<ReadonlyMap<Bytes, KnownToken>> {
  const tokens = new Map<Bytes, KnownToken>();
  const ids = await session.addresses.ids(addresses);
  const known = await session.tokens.byId([...new Set(ids.values())]);
  for (const [address, id] of ids) {
    const token = known.get(id);
    if (token !== undefined) tokens.set(address, token);
  }
  return tokens;
}

/** Pools that logged something, and their tokens. */
async function readPools(session: ReadSession, logs: readonly Log[], settings: ExchangeSettings) {
  const emitters = new Map(poolEventsIn(logs).map(({ log }) => [toHex(log.address), log.address]));
  const claims = emitters.size === 0 ? [] : await session.exchange.creationsAt([...emitters.values()]);
  const addresses = claims.flatMap(({ token0, token1 }) => [token0, token1]);
  const [chosen, traded] = await Promise.all([choosePools(session, claims, settings), readTokens(session, addresses)]);
  const pools = new Map<Hex, ActionPool>();
  for (const { address, hex, type, dex, isNamed, fee, tokens: pair } of chosen) {
    const [token0, token1] = pair.map((token) => traded.get(token.address));
    if (token0 === undefined || token1 === undefined) continue;
    pools.set(hex, { address, type, exchange: isNamed ? dex : undefined, fee, token0, token1 });
  }
  return { pools, traded };
}

/** From the row, or else from overflow rows; undefined if there are too many or some are too long. */
export async function readLogsOf(session: ReadSession, mined: MinedTransaction): Promise<readonly Log[] | undefined> {
  const { count, inRow } = mined.logs;
  if (count > MAX_LOGS) return undefined;
  return withData(inRow ?? (await session.logs.ofTransaction(mined, 0, MAX_LOGS)));
}

/** Those in the row; undefined if there are others. */
export function logsInRow({ logs: { inRow } }: MinedTransaction): readonly Log[] | undefined {
  return inRow && withData(inRow);
}

function withData(logs: readonly (Omit<Log, "data"> & { readonly data: Bytes | null })[]): readonly Log[] | undefined {
  return logs.every(({ data }) => data !== null) ? (logs as readonly Log[]) : undefined;
}
