import type { AddressBytes, Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { partsOfKey } from "../../../../chain/exchange/singleton.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { TokenReads } from "../../tokens/read/tokenReads.ts";
import type { ExchangeReads } from "../exchangeReads.ts";
import type { PoolCreation } from "../exchangeRows.ts";
import type { PoolObservation } from "./poolObservation.ts";
import { readPoolObservations } from "./poolObservation.ts";

export interface DuePool {
  readonly pool: number;
  readonly address: AddressBytes;
  readonly creations: readonly PoolCreation[];
  readonly before: PoolObservation | undefined;
  /** Tokens of a confirmed pool and its ledger balances. */
  readonly holdings: readonly PoolHolding[];
}

export interface PoolHolding {
  readonly token: AddressBytes;
  /** Ledger id, if a log has named the token. */
  readonly id: number | undefined;
  readonly amount: bigint;
  /** Tokens with transfers are observed by the token observer. */
  readonly isToken: boolean;
}

interface DuePools {
  readonly at: { readonly number: number; readonly hash: Bytes };
  readonly pools: readonly DuePool[];
}

interface LedgerReads extends CoreReads {
  readonly exchange: ExchangeReads;
  readonly tokens: TokenReads;
}

const DUE = "SELECT d.pool FROM pool_due d WHERE d.block <= ? ORDER BY d.block, d.pool LIMIT ?";

/** Longest due first. Call in a snapshot. */
export async function readDuePools(session: LedgerReads, limit: number): Promise<DuePools | undefined> {
  const [block, tip, tokens] = await Promise.all([session.blocks.tip(), session.exchange.tip(), session.tokens.tip()]);
  // The ledger's balances must be of the same block as the node's.
  if (block === undefined || tip !== block.number || tokens !== block.number) return undefined;
  const due = (await session.db.all<[number]>(DUE, block.number, limit)).map(([pool]) => pool);
  const [before, creations] = await Promise.all([
    readPoolObservations(session.db, due),
    session.exchange.creationsOf(due),
  ]);
  const found = [...creations].map(([pool, claims]) => {
    const seen = before.get(pool);
    const confirmed = claims.find(({ factory }) => seen?.factory !== undefined && equalBytes(factory, seen.factory));
    return { pool, address: claims[0]!.address, creations: claims, before: seen, confirmed };
  });
  const holdings = await readHoldings(
    session,
    found.flatMap(({ confirmed }) => confirmed ?? []),
  );
  const pools = found.map(({ confirmed, ...pool }) => ({
    ...pool,
    holdings: (confirmed && holdings.get(confirmed)) ?? [],
  }));
  return { at: { number: block.number, hash: block.hash }, pools };
}

/** Ledger balances of pools. */
async function readHoldings(
  { addresses, tokens }: LedgerReads,
  pools: readonly PoolCreation[],
): Promise<Map<PoolCreation, PoolHolding[]>> {
  // A V4 pool holds nothing itself.
  const holderOf = ({ address }: PoolCreation) => (partsOfKey(address) === undefined ? [address] : []);
  const ids = await addresses.ids(pools.flatMap((pool) => [...holderOf(pool), pool.token0, pool.token1]));
  const holderId = (pool: PoolCreation) => holderOf(pool).map((address) => ids.get(address))[0];
  const sides = pools.flatMap((pool) => [pool.token0, pool.token1].map((token) => ({ pool, token })));
  const known = sides.flatMap(({ pool, token }) => {
    const [holder, id] = [holderId(pool), ids.get(token)];
    return holder === undefined || id === undefined ? [] : [{ pair: [holder, id] as const }];
  });
  const [amounts, kinds] = await Promise.all([
    tokens.balances(known.map(({ pair }) => pair)),
    tokens.kinds([...new Set(sides.flatMap(({ token }) => ids.get(token) ?? []))]),
  ]);
  const amountOf = new Map(known.map(({ pair }, at) => [pair.join(" "), amounts[at] ?? 0n]));
  const holdingOf = (pool: PoolCreation, token: AddressBytes): PoolHolding => {
    const id = ids.get(token);
    const amount = amountOf.get(`${holderId(pool)} ${id}`) ?? 0n;
    return { token, id, amount, isToken: id !== undefined && kinds.has(id) };
  };
  return new Map(pools.map((pool) => [pool, [holdingOf(pool, pool.token0), holdingOf(pool, pool.token1)]]));
}
