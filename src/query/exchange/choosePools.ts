import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import { Turn } from "../../std/async.ts";
import { blockOf } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PoolCreation } from "../../store/stages/exchange/exchangeRows.ts";
import type { PoolObservation, SaidToken } from "../../store/stages/exchange/observe/poolObservation.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";

/** Claims that are looked at together. */
const BATCH_SIZE = 500;

/** What a pair takes of a trade where nobody says otherwise. */
const PAIR_FEE = 3000;

/** What is known of a pool beside its tokens. */
export interface PoolFacts {
  /** The stage's. */
  readonly id: number;
  readonly address: Bytes;
  readonly hex: Hex;
  readonly type: PoolType;
  /** The name of the exchange. */
  readonly dex: string;
  /** Whether the factory is configured, or has the code of a known exchange: only then are its word and its prices taken. */
  readonly isNamed: boolean;
  /** In hundredths of a basis point. */
  readonly fee: number;
  /** Where it was created. */
  readonly position: number;
  /** The block of that. */
  readonly since: number;
}

export interface ChosenToken {
  readonly address: Bytes;
  /** What it said of itself where it has no transfers. */
  readonly said: SaidToken | undefined;
}

export interface ChosenPool extends PoolFacts {
  readonly tokens: readonly [ChosenToken, ChosenToken];
}

/**
 * Of what is said of a pool, what a configured factory says counts; else what the pool and its factory confirmed. A pool of
 * what is no token is none.
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
    const seen = await session.exchange.observations([...new Set(some.map(({ pool }) => pool))]);
    const tokens = await withTransfers(
      session,
      some.flatMap(({ token0, token1 }) => [token0, token1]),
    );
    for (const creation of some) {
      const named = factories.get(toHex(creation.factory));
      const before = chosen.get(creation.pool);
      if (before?.isNamed || (before !== undefined && named === undefined)) continue;
      const found = choosePool(creation, named, seen.get(creation.pool), tokens);
      if (found !== undefined) chosen.set(creation.pool, found);
    }
    await turn.yieldToEventLoop();
  }
  return [...chosen.values()];
}

/** Undefined where the claim is not confirmed, or its tokens are none. */
function choosePool(
  creation: PoolCreation,
  named: ExchangeSettings["factories"][number] | undefined,
  seen: PoolObservation | undefined,
  withTransfers: ReadonlySet<Hex>,
): ChosenPool | undefined {
  const isConfirmed = seen?.factory !== undefined && equalBytes(seen.factory, creation.factory);
  if ((named === undefined && !isConfirmed) || !isSound(creation)) return undefined;
  const known = isConfirmed ? seen : undefined;
  const tokens = [creation.token0, creation.token1].flatMap((address, side): ChosenToken[] => {
    if (withTransfers.has(toHex(address))) return [{ address, said: undefined }];
    const said = known?.tokens[side];
    return saysAnything(said) ? [{ address, said }] : [];
  });
  const [token0, token1] = tokens;
  if (token0 === undefined || token1 === undefined) return undefined;
  const exchange = named ?? (known?.exchange ? { name: known.exchange } : undefined);
  return chosenPool(creation, exchange, [token0, token1]);
}

/** Those of some addresses that emitted a transfer, or wrap the coin. */
async function withTransfers(session: ReadSession, addresses: readonly Bytes[]): Promise<Set<Hex>> {
  const ids = await session.addresses.ids(addresses);
  const kinds = await session.tokens.kinds([...new Set(ids.values())]);
  return new Set(addresses.filter((address) => kinds.has(ids.get(address) ?? -1)).map(toHex));
}

/** A contract without transfers that says nothing of itself is no token. One without code cannot say anything. */
function saysAnything(said: SaidToken | undefined): boolean {
  return said !== undefined && [said.name, said.symbol, said.decimals, said.supply].some((value) => value !== null);
}

function chosenPool(
  { pool, address, type, factory, fee, position }: PoolCreation,
  named: Pick<ExchangeSettings["factories"][number], "name" | "fee"> | undefined,
  tokens: ChosenPool["tokens"],
): ChosenPool {
  return {
    id: pool,
    address,
    hex: toHex(address),
    type,
    dex: named?.name ?? `unknown-${toHex(factory).slice(2, 10)}`,
    isNamed: named !== undefined,
    fee: fee ?? named?.fee ?? PAIR_FEE,
    position,
    since: blockOf(position),
    tokens,
  };
}

/** A pool has two tokens, and is none of them. */
function isSound({ address, token0, token1 }: PoolCreation): boolean {
  return new Set([address, token0, token1].map(toHex)).size === 3;
}
