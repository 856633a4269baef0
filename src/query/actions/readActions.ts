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

export async function readActions(
  context: QueryContext,
  session: ReadSession,
  logged: readonly LoggedTransaction[],
): Promise<ReadActions> {
  const logs = logged.flatMap((each) => each.logs ?? []);
  const parties = new Map(logged.flatMap(partiesOf).map((address) => [toHex(address), address]));
  // All at once, before it is known which of them an action names: that would take further rounds.
  const [{ known, copies }, infos] = await Promise.all([
    readContracts(context, session, logs),
    session.addresses.infos([...parties.values()]),
  ]);
  const actions = logged.map((each) => readOne(each, known));
  const named = actions.flatMap((each) => each.actions.flatMap(addressesIn));
  const addresses = new Map(
    named.flatMap((address) => {
      const info = infos.get(parties.get(toHex(address)) ?? address);
      return info === undefined ? [] : [[address, info]];
    }),
  );
  return { actions, addresses, copies };
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

interface ReadContracts {
  readonly known: KnownContracts;
  readonly copies: ReadonlySet<KnownToken>;
}

/** Tokens and pools among those that logged something. */
async function readContracts(
  { exchange: { settings }, names }: QueryContext,
  session: ReadSession,
  logs: readonly Log[],
): Promise<ReadContracts> {
  const unique = [...new Map(logs.map(({ address }) => [toHex(address), address])).values()];
  const [emitting, { chosen, others }] = await Promise.all([
    readTokens(session, unique),
    readPools(session, logs, settings),
  ]);
  const tokenAt = (hex: Hex) => emitting.tokens.get(hex) ?? others.tokens.get(hex);
  const pools = new Map<Hex, ActionPool>();
  for (const { address, hex, type, dex, isNamed, fee, tokens: pair } of chosen) {
    const [token0, token1] = pair.map((token) => tokenAt(toHex(token.address)));
    if (token0 === undefined || token1 === undefined) continue;
    pools.set(hex, { address, type, exchange: isNamed ? dex : undefined, fee, token0, token1 });
  }
  const { wrappedCoin } = settings;
  const known = {
    tokenAt: (address: Bytes) => tokenAt(toHex(address)),
    poolAt: (hex: Hex) => pools.get(hex),
    wrappedCoin,
  };
  return { known, copies: names.withoutPools(new Set([...others.copies, ...emitting.copies])) };
}

interface FoundTokens {
  readonly tokens: ReadonlyMap<Hex, KnownToken>;
  readonly copies: ReadonlySet<KnownToken>;
}

async function readTokens(session: ReadSession, addresses: readonly Bytes[]): Promise<FoundTokens> {
  const ids = await session.addresses.ids(addresses);
  const known = [...(await session.tokens.byId([...new Set(ids.values())])).values()];
  const copies = known.length === 0 ? new Set<KnownToken>() : await copiesAmong(session, known);
  return { tokens: new Map(known.map((token) => [toHex(token.address), token])), copies };
}

/** Pools that logged something, and their tokens. */
async function readPools(session: ReadSession, logs: readonly Log[], settings: ExchangeSettings) {
  const emitters = new Map(poolEventsIn(logs).map(({ log }) => [toHex(log.address), log.address]));
  const claims = emitters.size === 0 ? [] : await session.exchange.creationsAt([...emitters.values()]);
  const traded = claims.flatMap(({ token0, token1 }) => [token0, token1]);
  const [chosen, others] = await Promise.all([choosePools(session, claims, settings), readTokens(session, traded)]);
  return { chosen, others };
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
