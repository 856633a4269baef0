import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { PoolKey, PoolType, SolidlyGeneration } from "../../chain/exchange/exchangeFields.ts";
import { isSingleton, isSolidly } from "../../chain/exchange/exchangeFields.ts";
import { DYNAMIC_FEE, partsOfKey } from "../../chain/exchange/singleton.ts";
import type { StableCurve } from "../../exchange/stableCurve.ts";
import { Turn } from "../../std/async.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";
import type { PoolObservation, ReportedToken } from "../../store/stages/exchange/observe/poolObservation.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";

const BATCH_SIZE = 500;

/** Hundredths of a basis point: that of Uniswap V2, and what is assumed of others. */
export const PAIR_FEE = 3000;

export interface PoolFacts {
  readonly id: number;
  readonly key: PoolKey;
  /** The contract that emits its logs: the pool itself, or the manager of one without an address. */
  readonly address: Bytes;
  /** Public id: its address, or the id that its manager gives it. */
  readonly hex: Hex;
  readonly type: PoolType;
  readonly factory: Hex;
  readonly dex: string;
  /** Configured, or with the code of a known exchange. Only then are its trades trusted. */
  readonly isNamed: boolean;
  /** Named, and no hooks that anyone may choose decide who may swap. Only then are its prices trusted. */
  readonly setsPrice: boolean;
  readonly hasHooks: boolean;
  /** 0 if each swap has its own. */
  readonly fee: number;
  readonly hasDynamicFee: boolean;
  /** Of a V2 pair whose fee is neither configured nor that of published code: its swaps tell it. */
  readonly isFeeOfSwaps: boolean;
  /** Until they do. */
  readonly isFeeAssumed: boolean;
  /** Of a pool of V3, V4 or Infinity. */
  readonly tickSpacing: number | undefined;
  /** Of a volatile or stable pool. */
  readonly generation: SolidlyGeneration | undefined;
  /** Of a stable pool, once the decimals of its tokens are known. */
  readonly curve: StableCurve | undefined;
  readonly position: number;
  readonly since: number;
}

export interface ChosenToken {
  readonly address: Bytes;
  /** Self-reported metadata of a token without transfers. */
  readonly reported: ReportedToken | undefined;
}

export interface ChosenPool extends PoolFacts {
  readonly tokens: readonly [ChosenToken, ChosenToken];
}

/**
 * Selects the creation to believe: a configured factory's, else one that pool and factory confirm. Both tokens must be
 * tokens.
 */
export async function choosePools(
  session: ReadSession,
  claims: readonly PoolCreation[],
  settings: ExchangeSettings,
): Promise<ChosenPool[]> {
  const factories = new Map(settings.factories.map((factory) => [factory.address, factory]));
  const chosen = new Map<number, ChosenPool>();
  const turn = new Turn();
  for (let from = 0; from < claims.length; from += BATCH_SIZE) {
    const some = claims.slice(from, from + BATCH_SIZE);
    const [seen, tokens] = await Promise.all([
      session.exchange.observations([...new Set(some.map(({ pool }) => pool))]),
      withTransfers(
        session,
        some.flatMap(({ token0, token1 }) => [token0, token1]),
      ),
    ]);
    for (const creation of some) {
      const named = factories.get(toHex(creation.factory));
      const before = chosen.get(creation.pool);
      if (before?.isNamed || (before !== undefined && named === undefined)) continue;
      const found = choosePool(creation, { named, settings }, seen.get(creation.pool), tokens);
      if (found !== undefined) chosen.set(creation.pool, found);
    }
    await turn.yieldToEventLoop();
  }
  return [...chosen.values()];
}

interface Trust {
  readonly named: ExchangeSettings["factories"][number] | undefined;
  readonly settings: ExchangeSettings;
}

/** Undefined if unconfirmed, or if a token is not a token. */
function choosePool(
  creation: PoolCreation,
  { named, settings }: Trust,
  seen: PoolObservation | undefined,
  withTransfers: ReadonlySet<Hex>,
): ChosenPool | undefined {
  const isConfirmed = seen?.factory !== undefined && equalBytes(seen.factory, creation.factory);
  if ((named === undefined && !isConfirmed) || !isSound(creation)) return undefined;
  const known = isConfirmed ? seen : undefined;
  const tokens = [creation.token0, creation.token1].flatMap((address, side): ChosenToken[] => {
    if (isSingleton(creation.type) && isZero(address)) return [{ address, reported: coinOf(settings) }];
    if (withTransfers.has(toHex(address))) return [{ address, reported: undefined }];
    const reported = known?.tokens[side];
    return hasMetadata(reported) ? [{ address, reported }] : [];
  });
  const [token0, token1] = tokens;
  if (token0 === undefined || token1 === undefined) return undefined;
  const exchange = named ?? (known?.exchange ? { name: known.exchange } : undefined);
  const isFeeOfSwaps = creation.type === "v2" && named?.fee === undefined && !known?.exchange;
  return { ...chosenPool(creation, exchange, [token0, token1]), isFeeOfSwaps, isFeeAssumed: isFeeOfSwaps };
}

/** Addresses that emitted a transfer or wrap the coin. */
async function withTransfers(session: ReadSession, addresses: readonly Bytes[]): Promise<Set<Hex>> {
  const ids = await session.addresses.ids(addresses);
  const kinds = await session.tokens.kinds([...new Set(ids.values())]);
  return new Set(addresses.filter((address) => kinds.has(ids.get(address) ?? -1)).map(toHex));
}

const COIN_DECIMALS = 18;

/** The native coin has no contract that says anything. */
const coinOf = ({ coin = "ETH" }: ExchangeSettings): ReportedToken => ({
  ...{ name: coin, symbol: coin },
  ...{ decimals: COIN_DECIMALS, supply: null },
});

/** A contract without transfers and metadata is not a token. */
function hasMetadata(reported: ReportedToken | undefined): boolean {
  return (
    reported !== undefined &&
    [reported.name, reported.symbol, reported.decimals, reported.supply].some((value) => value !== null)
  );
}

function chosenPool(
  { pool, address: key, type, factory, fee, tickSpacing, hooks, generation, position }: PoolCreation,
  named: Pick<ExchangeSettings["factories"][number], "name" | "fee"> | undefined,
  tokens: ChosenPool["tokens"],
): Omit<ChosenPool, "isFeeOfSwaps" | "isFeeAssumed"> {
  const isNamed = named !== undefined;
  const hasDynamicFee = type === "algebra" || isSolidly(type) || (isSingleton(type) && fee === DYNAMIC_FEE);
  const hasHooks = hooks !== undefined && !isZero(hooks);
  return {
    ...{ id: pool, key, address: partsOfKey(key)?.manager ?? key, hex: toHex(key) },
    type,
    factory: toHex(factory),
    dex: named?.name ?? `unknown-${toHex(factory).slice(2, 10)}`,
    isNamed,
    setsPrice: isNamed && !hasHooks,
    hasHooks,
    fee: hasDynamicFee ? 0 : (fee ?? named?.fee ?? PAIR_FEE),
    hasDynamicFee,
    tickSpacing,
    generation,
    curve: undefined,
    position,
    since: blockOf(position),
    tokens,
  };
}

/** A pool has two distinct tokens and is neither of them. */
function isSound({ address: key, token0, token1 }: PoolCreation): boolean {
  return new Set([partsOfKey(key)?.manager ?? key, token0, token1].map(toHex)).size === 3;
}
