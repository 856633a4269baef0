import type { Encodable } from "../../../src/chain/abi/encode.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import type { ExchangeChain } from "./chain.ts";
import type { ExchangeScene, ScenePool } from "./scene.ts";

export interface PairReading {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  readonly balance0: bigint;
  readonly balance1: bigint;
  readonly supply: bigint;
}

export interface PoolReading {
  readonly sqrtPrice: bigint;
  readonly tick: number;
  readonly feeProtocol: number;
  readonly liquidity: bigint;
  readonly balance0: bigint;
  readonly balance1: bigint;
}

export interface PositionReading {
  readonly owner: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  readonly fee: number;
  readonly lower: number;
  readonly upper: number;
  readonly liquidity: bigint;
}

/** Contract state at a block, from calls. */
export interface Reading {
  readonly pairs: ReadonlyMap<Hex, PairReading>;
  readonly pools: ReadonlyMap<Hex, PoolReading>;
  /** By the id of the token; those that are burnt are not there. */
  readonly positions: ReadonlyMap<bigint, PositionReading>;
  readonly shares: ReadonlyMap<Hex, ReadonlyMap<Hex, bigint>>;
}

/** Contracts to read; the others keep their previous reading. */
export interface Wanted {
  readonly pools: readonly ScenePool[];
  readonly positions: readonly bigint[];
  readonly holders: readonly Hex[];
}

/** Positions that are read by one call. */
const BATCH_SIZE = 16;

const NOTHING: Reading = { pairs: new Map(), pools: new Map(), positions: new Map(), shares: new Map() };

export async function readContracts(
  chain: ExchangeChain,
  { lens, v3 }: ExchangeScene,
  block: number,
  { pools, positions: ids, holders }: Wanted,
  before = NOTHING,
): Promise<Reading> {
  const ask = async (signature: string, ...values: Encodable[]) =>
    (await chain.call(lens, block, signature, ...values)).slice(2);
  const read = async (name: string, own: readonly ScenePool[]) => {
    const tokens = own.flatMap(({ token0, token1 }) => [token0.address, token1.address]);
    return own.length === 0
      ? []
      : ask(
          `${name}(address[],address[])`,
          own.map(({ address }) => address),
          tokens,
        );
  };
  const [pairs, concentrated] = ([2, 3] as const).map((each) => pools.filter(({ version }) => version === each));
  const ofPairs = await read("pairs", pairs!);
  const ofPools = await read("pools", concentrated!);
  const ofIds: bigint[] = [];
  // A call that takes too long is ended by the node.
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    ofIds.push(...(await ask("positions(address,uint256[])", v3.positions, ids.slice(at, at + BATCH_SIZE))));
  }
  const addresses = pairs!.map(({ address }) => address);
  const ofHolders = await (addresses.length === 0 ? [] : ask("balances(address[],address[])", addresses, [...holders]));
  const positions = new Map(before.positions);
  for (const [at, id] of ids.entries()) {
    if (ofIds[at * 13] === 0n) positions.delete(id);
    else positions.set(id, positionFrom(ofIds.slice(at * 13, at * 13 + 13)));
  }
  const sharesOf = (at: number) =>
    new Map(holders.map((holder, index) => [holder, ofHolders[at * holders.length + index]!]));
  return {
    pairs: new Map([
      ...before.pairs,
      ...addresses.map((pair, at) => [pair, pairFrom(ofPairs.slice(at * 5, at * 5 + 5))] as const),
    ]),
    pools: new Map([
      ...before.pools,
      ...concentrated!.map(({ address }, at) => [address, poolFrom(ofPools.slice(at * 6, at * 6 + 6))] as const),
    ]),
    positions,
    shares: new Map([...before.shares, ...addresses.map((pair, at) => [pair, sharesOf(at)] as const)]),
  };
}

function pairFrom([reserve0, reserve1, balance0, balance1, supply]: readonly bigint[]): PairReading {
  return { reserve0: reserve0!, reserve1: reserve1!, balance0: balance0!, balance1: balance1!, supply: supply! };
}

function poolFrom([sqrtPrice, tick, feeProtocol, liquidity, balance0, balance1]: readonly bigint[]): PoolReading {
  return {
    sqrtPrice: sqrtPrice!,
    tick: signed(tick!),
    feeProtocol: Number(feeProtocol),
    liquidity: liquidity!,
    balance0: balance0!,
    balance1: balance1!,
  };
}

/** After the owner come nonce, operator, token0, token1, fee, ticks, liquidity and what is of no concern here. */
function positionFrom(words: readonly bigint[]): PositionReading {
  return {
    owner: addressFrom(words[0]!),
    token0: addressFrom(words[3]!),
    token1: addressFrom(words[4]!),
    fee: Number(words[5]!),
    lower: signed(words[6]!),
    upper: signed(words[7]!),
    liquidity: words[8]!,
  };
}

function signed(word: bigint): number {
  return Number(BigInt.asIntN(256, word));
}

function addressFrom(word: bigint): Hex {
  return `0x${word.toString(16).padStart(40, "0")}`;
}
