import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import { transfersOfLogs } from "../../chain/token/events/logTransfers.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { Action, ActionPool, Asset, DelegationAction, SwapAction } from "./action.ts";
import { exchangeActions, feeKey } from "./exchangeActions.ts";
import type { MovedToken } from "./tokenFlows.ts";
import { movedToken, transfersOutside } from "./tokenFlows.ts";
import { approvalActions, transferActions, typeOf, wrapAction } from "./transferActions.ts";

/** Facts of a successful transaction. */
export interface TransactionFacts {
  readonly from: Bytes;
  readonly to: Bytes | null;
  readonly value: bigint;
  readonly created: Bytes | undefined;
  readonly blobs: number;
  readonly logs: readonly Log[];
  readonly delegations: readonly DelegationAction[];
}

/** Tokens and pools among the contracts that logged. */
export interface KnownContracts {
  /** By the address of a log itself, not of a copy. */
  tokenAt(address: Bytes): KnownToken | undefined;
  poolAt(address: Hex): ActionPool | undefined;
  /** The token that wraps the native coin; undefined if none is configured. */
  readonly wrappedCoin: Hex | undefined;
}

/** Most important first. Pure: the same logs give the same actions. */
export function classifyActions(facts: TransactionFacts, known: KnownContracts): Action[] {
  const { logs, created, delegations, blobs, to } = facts;
  const transfers = movedIn(facts, known);
  const { swap, liquidity, feeKeys } = exchangeActions(logs, known.poolAt, transfers);
  const pools = [...(swap?.pools ?? []), ...liquidity.map(({ pool }) => pool)];
  const exchanged = new Set<Hex>(pools.flatMap(({ token0, token1 }) => [toHex(token0.address), toHex(token1.address)]));
  const poolKeys = new Set<Hex>(pools.map(({ address }) => toHex(address)));
  const positions = liquidity.length > 0 ? positionsIn(logs) : new Set<string>();
  const isExplained = (moved: MovedToken) => poolKeys.has(moved.tokenHex) || positions.has(itemKey(moved));
  const others = transfers.filter((moved) => !exchanged.has(moved.tokenHex) && !isExplained(moved));
  const isFee = ({ fromHex, tokenHex }: MovedToken) => feeKeys.has(feeKey(fromHex, tokenHex));
  const isTouched = (moved: MovedToken) => exchanged.has(moved.tokenHex) && moved.kind === "ERC-20" && !isFee(moved);
  const touched = transfers.filter(isTouched);
  const isWrapped = (moved: MovedToken) => moved.isWrap;
  return [
    ...(created === undefined ? [] : [{ type: "create_contract", contract: created } as const]),
    ...delegations,
    ...(swap === undefined ? [] : [withCoin(swap, facts, transfers, known.wrappedCoin)]),
    ...liquidity,
    ...others.filter(isWrapped).map(wrapAction),
    ...transfersOutsidePools(touched, poolKeys, known.wrappedCoin),
    ...transferActions(others.filter((moved) => !isWrapped(moved))),
    ...approvalActions(logs, transfers, known.tokenAt),
    ...(blobs === 0 ? [] : [{ type: "post_blobs", count: blobs, to } as const]),
  ];
}

/** Transfers of known tokens, and wraps where the contract is the wrapped coin or was paid exactly that much. */
function movedIn({ logs, to, value }: TransactionFacts, known: KnownContracts): MovedToken[] {
  return transfersOfLogs(logs).flatMap((transfer) => {
    const token = known.tokenAt(transfer.token);
    if (token === undefined) return [];
    const moved = movedToken(transfer, token);
    if (!moved.isWrap || moved.tokenHex === known.wrappedCoin) return [moved];
    const isPaid = isZero(moved.from) && to !== null && equalBytes(to, transfer.token) && value === moved.amount;
    return isPaid ? [moved] : [];
  });
}

/** Positions whose liquidity changed: the items of a manager that logged it. */
function positionsIn(logs: readonly Log[]): Set<string> {
  const { increaseLiquidity, decreaseLiquidity } = EXCHANGE_TOPICS;
  const isPosition = ({ topics }: Log) =>
    topics.length === 64 &&
    [increaseLiquidity, decreaseLiquidity].some((topic) => equalBytes(topics.subarray(0, 32), topic));
  const keys = logs.filter(isPosition).map(({ address, topics }) => `${toHex(address)} ${toHex(topics.subarray(32))}`);
  return new Set(keys);
}

const itemKey = ({ tokenHex, id }: MovedToken) =>
  id === undefined ? "" : `${tokenHex} 0x${id.toString(16).padStart(64, "0")}`;

/** Amounts of the wrapped coin that were wrapped on the way in, or unwrapped on the way out, are of the coin. */
function withCoin(
  swap: SwapAction,
  { from, value }: TransactionFacts,
  transfers: readonly MovedToken[],
  wrappedCoin: Hex | undefined,
): SwapAction {
  const ofCoin = transfers.filter(({ tokenHex }) => tokenHex === wrappedCoin);
  const wrapped = (isDeposit: boolean) =>
    ofCoin
      .filter((moved) => moved.isWrap && isZero(moved.from) === isDeposit)
      .reduce((sum, { amount }) => sum + amount, 0n);
  const isOwn = (party: "from" | "to") => ofCoin.some((moved) => !moved.isWrap && equalBytes(moved[party], from));
  const asCoin = (asset: Asset, isCoin: (amount: bigint) => boolean): Asset =>
    asset.token !== null && toHex(asset.token.address) === wrappedCoin && isCoin(asset.amount)
      ? { token: null, amount: asset.amount }
      : asset;
  return {
    ...swap,
    given: swap.given.map((asset) =>
      asCoin(asset, (amount) => value >= amount && wrapped(true) >= amount && !isOwn("from")),
    ),
    received: swap.received.map((asset) => asCoin(asset, (amount) => wrapped(false) >= amount && !isOwn("to"))),
  };
}

/** Tokens of the pools that accounts gave each other in the same transaction. */
function transfersOutsidePools(
  transfers: readonly MovedToken[],
  pools: ReadonlySet<Hex>,
  wrappedCoin: Hex | undefined,
): Action[] {
  const isPool = (hex: Hex) => pools.has(hex);
  const isZeroAddress = (hex: Hex) => /^0x0+$/.test(hex);
  // Tokens with a fee also burn a part of what pools pay.
  const isFeeOfPool = ({ fromHex, toHex: to }: MovedToken) =>
    (isPool(fromHex) && isZeroAddress(to)) || (isZeroAddress(fromHex) && isPool(to));
  const byWrapper = Map.groupBy(
    transfers.filter((moved) => !isFeeOfPool(moved)),
    ({ tokenHex }) => tokenHex === wrappedCoin,
  );
  const moves = [
    ...transfersOutside(byWrapper.get(false) ?? [], isPool),
    // Wrapping and unwrapping are no gifts of the zero address.
    ...transfersOutside(byWrapper.get(true) ?? [], (hex) => isPool(hex) || isZeroAddress(hex)),
  ];
  return moves.map(({ token, amount, from, to }) => ({ type: typeOf(from, to), asset: { token, amount }, from, to }));
}
