import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool, Listing } from "../exchange/listedPools.ts";
import { copiesAmong } from "./copiesAmong.ts";

export interface PoolName {
  readonly address: Hex;
  readonly type: PoolType;
  /** Undefined if anybody could have deployed it. */
  readonly exchange: string | undefined;
  /** Hundredths of a basis point. */
  readonly fee: number;
  readonly tokens: readonly [Hex, Hex];
  /** As the tokens call themselves. */
  readonly symbols: readonly [string, string];
  /** Whether a token with more holders has one of the symbols. */
  readonly hasCopy: boolean;
}

/** Pools that have names, those that are named at a time, and those without symbols that are asked for again. */
const MAX_NAMED = 100_000;
const BATCH_SIZE = 1000;
const MAX_RETRIED = 100;

/** Names of pools by their tokens. Tokens without a symbol are looked at again. */
export class PoolNames {
  #names = new Map<Hex, PoolName>();
  #listing: Listing | undefined;
  #lineage: object | undefined;
  #unnamed: readonly ListedPool[] = [];

  /** Whether some pools of the last state have not been looked at. */
  get isBehind(): boolean {
    return this.#unnamed.length > MAX_RETRIED;
  }

  of(pool: Hex): PoolName | undefined {
    return this.#names.get(pool);
  }

  all(): IterableIterator<PoolName> {
    return this.#names.values();
  }

  /** Whether anything changed. */
  async move(session: ReadSession, { listing, lineage }: ExchangeView): Promise<boolean> {
    if (lineage !== this.#lineage) this.#names = new Map();
    if (listing !== this.#listing || lineage !== this.#lineage) {
      // A pool of V4 or Infinity has no address that could have a name.
      const placed = listing.pools.filter(({ type }) => !isSingleton(type));
      this.#unnamed = placed.filter((pool) => !this.#isNamed(pool)).slice(0, MAX_NAMED - this.#names.size);
    }
    this.#listing = listing;
    this.#lineage = lineage;
    if (this.#unnamed.length === 0) return false;
    const some = this.#unnamed.slice(0, BATCH_SIZE);
    const named = await readNames(session, some);
    for (const name of named) this.#names.set(name.address, name);
    const silent = some.filter(({ hex }) => !this.#names.has(hex)).slice(0, MAX_RETRIED);
    this.#unnamed = [...this.#unnamed.slice(BATCH_SIZE), ...silent];
    return named.length > 0;
  }

  /** The exchange of a pool may be known later than its tokens. */
  #isNamed({ hex, isNamed }: ListedPool): boolean {
    const known = this.#names.get(hex);
    return known !== undefined && isNamed === (known.exchange !== undefined);
  }
}

async function readNames(session: ReadSession, pools: readonly ListedPool[]): Promise<PoolName[]> {
  const addresses = new Map(pools.flatMap(({ token0, token1 }) => [token0, token1]).map((token) => [token.hex, token]));
  const ids = await session.addresses.ids([...addresses.values()].map(({ address }) => address));
  const known = [...(await session.tokens.byId([...new Set(ids.values())])).values()];
  const copies = await copiesAmong(session, known);
  const tokens = new Map(known.map((token) => [toHex(token.address), token]));
  return pools.flatMap((pool) => nameOf(pool, tokens, copies));
}

function nameOf(
  { hex, type, dex, isNamed, fee, token0, token1 }: ListedPool,
  known: ReadonlyMap<Hex, KnownToken>,
  copies: ReadonlySet<KnownToken>,
): PoolName[] {
  const [one, other] = [known.get(token0.hex), known.get(token1.hex)];
  const symbols = [one?.seen?.symbol.text, other?.seen?.symbol.text] as const;
  if (!one || !other || !symbols[0] || !symbols[1]) return [];
  const hasCopy = copies.has(one) || copies.has(other);
  const exchange = isNamed ? dex : undefined;
  const tokens = [token0.hex, token1.hex] as const;
  return [{ address: hex, type, exchange, fee, tokens, symbols: [symbols[0], symbols[1]], hasCopy }];
}
