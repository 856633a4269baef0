import { encodeCall } from "../../../src/chain/abi/encodeCall.ts";
import type { Block } from "../../../src/chain/block/block.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { sqrtPrice } from "../../../src/demo/scene/ticks.ts";
import type { ExchangeChain } from "./chain.ts";
import { exchangeCode } from "./contracts.ts";

export const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;
export const NEVER = 2n ** 48n;
export const MAX_UINT256 = 2n ** 256n - 1n;

export const POOL_CREATED = "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118";
export const PAIR_CREATED = "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9";

/** `unit` is the number of smallest units per dollar. */
export interface SceneToken {
  readonly symbol: string;
  readonly address: Hex;
  /** Null where the token does not say. */
  readonly decimals: number | null;
  readonly unit: bigint;
}

export interface ScenePool {
  readonly address: Hex;
  readonly version: 2 | 3;
  readonly token0: SceneToken;
  readonly token1: SceneToken;
  /** Hundredths of a basis point. */
  readonly fee: number;
}

/** Uniswap V2 and V3 with tokens of all sorts and a few pools. */
export interface ExchangeScene {
  readonly tokens: Readonly<Record<TokenName, SceneToken>>;
  readonly v2: { readonly factory: Hex; readonly router: Hex };
  readonly v3: { readonly factory: Hex; readonly positions: Hex; readonly router: Hex };
  readonly trader: Hex;
  readonly lens: Hex;
  readonly pools: readonly ScenePool[];
}

const TOKENS = {
  WETH: { decimals: 18, unit: 10n ** 18n / 2000n },
  USDA: { decimals: 6, unit: 10n ** 6n },
  USDB: { decimals: 18, unit: 10n ** 18n },
  NONE: { decimals: 0, unit: 100n },
  FAIL: { decimals: null, unit: 10n ** 12n },
  DTT: { decimals: 18, unit: 4n * 10n ** 18n },
  ALT: { decimals: 18, unit: 10n ** 17n },
} as const;

export type TokenName = keyof typeof TOKENS;

const PAIRS: readonly (readonly [TokenName, TokenName])[] = [
  ["WETH", "USDA"],
  ["DTT", "WETH"],
  ["NONE", "USDB"],
  ["FAIL", "WETH"],
  ["ALT", "USDA"],
  ["USDA", "USDB"],
];

const POOLS: readonly (readonly [TokenName, TokenName, 500 | 3000 | 10_000])[] = [
  ["WETH", "USDA", 500],
  ["WETH", "USDA", 3000],
  ["ALT", "WETH", 3000],
  ["NONE", "USDA", 10_000],
  ["FAIL", "USDB", 3000],
  ["USDA", "USDB", 500],
];

/** First liquidity of each pool on either side, in dollars. */
const DEPTH = 100_000n;

export async function buildScene(chain: ExchangeChain): Promise<ExchangeScene> {
  const code = exchangeCode();
  const tokens = await deployTokens(chain);
  const weth = tokens.WETH.address;
  const v2Factory = await chain.deploy(code.UniswapV2Factory, ["address"], chain.builder.address);
  const v2Router = await chain.deploy(code.UniswapV2Router02, ["address", "address"], v2Factory, weth);
  const v3Factory = await chain.deploy(code.UniswapV3Factory);
  const types = ["address", "address", "address"];
  const positions = await chain.deploy(code.NonfungiblePositionManager, types, v3Factory, weth, ZERO_ADDRESS);
  const v3Router = await chain.deploy(code.SwapRouter, ["address", "address"], v3Factory, weth);
  const trader = await chain.deploy(code.Trader);
  const lens = await chain.deploy(code.Lens);
  const scene = {
    tokens,
    v2: { factory: v2Factory, router: v2Router },
    v3: { factory: v3Factory, positions, router: v3Router },
    trader,
    lens,
    pools: [] as ScenePool[],
  };
  await handOut(chain, scene);
  for (const [a, b] of PAIRS) scene.pools.push(await openPair(chain, scene, tokens[a], tokens[b]));
  for (const [a, b, fee] of POOLS) scene.pools.push(await openPool(chain, scene, tokens[a], tokens[b], fee));
  return scene;
}

async function deployTokens(chain: ExchangeChain): Promise<ExchangeScene["tokens"]> {
  const code = exchangeCode();
  const tokens: Partial<Record<TokenName, SceneToken>> = {};
  for (const [symbol, { decimals, unit }] of Object.entries(TOKENS)) {
    const address =
      symbol === "WETH"
        ? await chain.deploy(code.WETH9)
        : symbol === "DTT"
          ? await chain.deploy(code.DeflatingERC20, ["uint256"], 10n ** 30n)
          : await deployToken(chain, symbol, decimals);
    tokens[symbol as TokenName] = { symbol, address, decimals, unit };
  }
  return tokens as ExchangeScene["tokens"];
}

/** A token that anybody mints; without decimals it does not say how many it has. */
export function deployToken(chain: ExchangeChain, symbol: string, decimals: number | null): Promise<Hex> {
  const types = ["string", "string", "uint256"];
  return chain.deploy(exchangeCode().OddToken, types, `${symbol} token`, symbol, BigInt(decimals ?? 256));
}

/** Everybody has a lot of everything, and lets the routers spend it. */
async function handOut(chain: ExchangeChain, { tokens, v2, v3, trader }: ExchangeScene): Promise<void> {
  const intents: Intent[] = [];
  const { WETH, DTT, ...odd } = tokens;
  for (const actor of chain.actors) {
    for (const { address, unit } of Object.values(odd)) {
      for (const to of [actor.address, trader]) {
        intents.push(chain.intent(actor, address, "mint(address,uint256)", to, 10_000_000n * unit));
      }
    }
    const deposit = { ...chain.intent(actor, WETH.address, "deposit()"), value: 1000n * 10n ** 18n };
    intents.push(deposit, chain.intent(actor, WETH.address, "transfer(address,uint256)", trader, 500n * 10n ** 18n));
    const share = 10n ** 28n;
    if (actor !== chain.builder) {
      intents.push(chain.intent(chain.builder, DTT.address, "transfer(address,uint256)", actor.address, share));
    }
    for (const spender of [v2.router, v3.router, v3.positions]) {
      for (const { address } of [WETH, DTT]) {
        intents.push(chain.intent(actor, address, "approve(address,uint256)", spender, MAX_UINT256));
      }
    }
  }
  intents.push(chain.intent(chain.builder, DTT.address, "transfer(address,uint256)", trader, 10n ** 26n));
  expectDone(await chain.mine(intents));
}

export function expectDone(block: Block): void {
  const failed = block.receipts.findIndex(({ status }) => status !== 1);
  if (failed >= 0) throw new Error(`transaction ${failed} of block ${block.header.number} reverted`);
}

async function openPair(
  chain: ExchangeChain,
  { v2 }: Pick<ExchangeScene, "v2">,
  a: SceneToken,
  b: SceneToken,
): Promise<ScenePool> {
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const amounts = [a.unit * DEPTH, b.unit * DEPTH, 0n, 0n];
  const to = chain.builder.address;
  const block = await chain.send(chain.builder, v2.router, signature, a.address, b.address, ...amounts, to, NEVER);
  return { ...ordered(a, b), address: createdIn(block, PAIR_CREATED), version: 2, fee: 3000 };
}

async function openPool(
  chain: ExchangeChain,
  { v3 }: Pick<ExchangeScene, "v3">,
  a: SceneToken,
  b: SceneToken,
  fee: 500 | 3000 | 10_000,
): Promise<ScenePool> {
  const { token0, token1 } = ordered(a, b);
  const signature = "createAndInitializePoolIfNecessary(address,address,uint24,uint160)";
  const price = sqrtPrice(token1.unit, token0.unit);
  const block = await chain.send(chain.builder, v3.positions, signature, token0.address, token1.address, fee, price);
  const pool: ScenePool = { address: createdIn(block, POOL_CREATED), version: 3, token0, token1, fee };
  const spacing = SPACINGS[fee]!;
  const max = Math.floor(887_272 / spacing) * spacing;
  const data = mintCall(pool, [-max, max], DEPTH, chain.builder.address);
  const intent = { from: chain.builder, to: v3.positions, data, gas: 6_000_000 };
  expectDone(await chain.mine([intent]));
  return pool;
}

export const SPACINGS: Readonly<Record<number, number>> = { 500: 10, 3000: 60, 10000: 200 };

export function ordered(a: SceneToken, b: SceneToken): { token0: SceneToken; token1: SceneToken } {
  return a.address < b.address ? { token0: a, token1: b } : { token0: b, token1: a };
}

/** The pool of the first creation event in a block. */
export function createdIn({ receipts }: Block, topic: string): Hex {
  const log = receipts.flatMap(({ logs }) => logs).find(({ topics }) => toHex(topics.subarray(0, 32)) === topic);
  if (log === undefined) throw new Error("no pool was created");
  const at = topic === POOL_CREATED ? 44 : 12;
  return toHex(log.data.subarray(at, at + 20));
}

const MINT = "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))";

export function mintCall(
  { token0, token1, fee }: ScenePool,
  [lower, upper]: readonly [number, number],
  dollars: bigint,
  to: Hex,
): Hex {
  const amounts = [token0.unit * dollars, token1.unit * dollars, 0n, 0n];
  return encodeCall(MINT, [token0.address, token1.address, fee, lower, upper, ...amounts, to, NEVER]);
}
