import type { AddressBytes, Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
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
  const [block, tip] = [await session.blocks.tip(), await session.exchange.tip()];
  // Ledger and node must be at the same block.
  if (block === undefined || tip !== block.number || (await session.tokens.tip()) !== block.number) return undefined;
  const due = (await session.db.all<[number]>(DUE, block.number, limit)).map(([pool]) => pool);
  const before = await readPoolObservations(session.db, due);
  const creations = await session.exchange.creationsOf(due);
  const pools: DuePool[] = [];
  for (const [pool, said] of creations) {
    const seen = before.get(pool);
    const confirmed = said.find(({ factory }) => seen?.factory !== undefined && equalBytes(factory, seen.factory));
    const holdings = confirmed === undefined ? [] : await readHoldings(session, confirmed);
    pools.push({ pool, address: said[0]!.address, creations: said, before: seen, holdings });
  }
  return { at: { number: block.number, hash: block.hash }, pools };
}

async function readHoldings(session: LedgerReads, { address, token0, token1 }: PoolCreation): Promise<PoolHolding[]> {
  const holder = await session.addresses.id(address);
  const holdings: PoolHolding[] = [];
  for (const token of [token0, token1]) {
    const id = await session.addresses.id(token);
    const isKnown = holder !== undefined && id !== undefined;
    const amount = isKnown ? await session.tokens.balance(holder, id) : 0n;
    holdings.push({ token, id, amount, isToken: id !== undefined && (await session.tokens.kinds([id])).has(id) });
  }
  return holdings;
}
