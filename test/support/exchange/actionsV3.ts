import { encodeCall } from "../../../src/chain/abi/encodeCall.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import type { Action, Moment } from "./actions.ts";
import { amountOf, direction, partOf, someDollars, someone, somePath, somePool } from "./actions.ts";
import type { PositionReading } from "./reading.ts";
import type { ScenePool } from "./scene.ts";
import { mintCall, NEVER, SPACINGS } from "./scene.ts";

const MAX_UINT128 = 2n ** 128n - 1n;

const swap: Action = (moment) => {
  const { chain, scene } = moment;
  const pool = somePool(moment, 3);
  const [tokenIn, tokenOut] = direction(moment, pool);
  const from = someone(moment);
  const signature = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
  const amount = amountOf(tokenIn, someDollars(moment));
  const terms = [tokenIn.address, tokenOut.address, pool.fee, from.address, NEVER, amount, 0n, 0n];
  return [chain.intent(from, scene.v3.router, signature, terms)];
};

const swapForExact: Action = (moment) => {
  const { chain, scene } = moment;
  const pool = somePool(moment, 3);
  const [tokenIn, tokenOut] = direction(moment, pool);
  const from = someone(moment);
  const signature = "exactOutputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
  const amount = amountOf(tokenOut, someDollars(moment, 4000));
  const terms = [tokenIn.address, tokenOut.address, pool.fee, from.address, NEVER, amount, 2n ** 200n, 0n];
  return [chain.intent(from, scene.v3.router, signature, terms)];
};

const hop: Action = (moment) => {
  const { tokens, pools } = somePath(moment, 3);
  const from = someone(moment);
  let path: Hex = tokens[0]!.address;
  for (const [index, { fee }] of pools.entries()) {
    path = `${path}${fee.toString(16).padStart(6, "0")}${tokens[index + 1]!.address.slice(2)}`;
  }
  const terms = [path, from.address, NEVER, amountOf(tokens[0]!, someDollars(moment)), 0n];
  const signature = "exactInput((bytes,address,uint256,uint256,uint256))";
  return [moment.chain.intent(from, moment.scene.v3.router, signature, terms)];
};

/** Two ticks around the price, above it or below it. */
function someRange({ random, reading }: Moment, { address, fee }: ScenePool): [number, number] {
  const spacing = SPACINGS[fee]!;
  const at = Math.floor(reading.pools.get(address)!.tick / spacing);
  const width = random.between(1, 120);
  const from = random.pick([-random.between(1, width), -random.between(1, width), random.between(1, 40), -width - 30]);
  return [(at + from) * spacing, (at + from + width) * spacing];
}

const open: Action = (moment) => {
  const { scene, random } = moment;
  const pool = somePool(moment, 3);
  const from = someone(moment);
  const mint = () => mintCall(pool, someRange(moment, pool), BigInt(random.between(1, 20_000)), from.address);
  // Two in one transaction: which event is of which position follows from their order.
  const data = random.chance(0.25) ? encodeCall("multicall(bytes[])", [mint(), mint()]) : mint();
  return [{ from, to: scene.v3.positions, data, gas: 6_000_000 }];
};

function somePosition(
  moment: Moment,
): { id: bigint; position: PositionReading; from: Moment["chain"]["builder"] } | undefined {
  const { chain, reading, random } = moment;
  const ours = [...reading.positions].filter(([, { owner }]) => chain.actors.some(({ address }) => address === owner));
  if (ours.length === 0) return undefined;
  const [id, position] = random.pick(ours);
  return { id, position, from: chain.actors.find(({ address }) => address === position.owner)! };
}

const increase: Action = (moment) => {
  const found = somePosition(moment);
  if (found === undefined) return [];
  const { tokens, v3 } = moment.scene;
  const byAddress = (address: Hex) => Object.values(tokens).find((token) => token.address === address)!;
  const dollars = someDollars(moment);
  const amounts = [found.position.token0, found.position.token1].map((token) => amountOf(byAddress(token), dollars));
  const signature = "increaseLiquidity((uint256,uint256,uint256,uint256,uint256,uint256))";
  // Anybody may add to a position of another.
  return [moment.chain.intent(someone(moment), v3.positions, signature, [found.id, ...amounts, 0n, 0n, NEVER])];
};

const DECREASE = "decreaseLiquidity((uint256,uint128,uint256,uint256,uint256))";
const COLLECT = "collect((uint256,address,uint128,uint128))";

const decrease: Action = (moment) => {
  const found = somePosition(moment);
  if (found === undefined || found.position.liquidity === 0n) return [];
  const { id, position, from } = found;
  // The first position of each pool is never emptied, so that there is always something to trade with.
  const taken = from === moment.chain.builder ? position.liquidity / 4n : partOf(moment, position.liquidity);
  const calls = [encodeCall(DECREASE, [id, taken, 0n, 0n, NEVER])];
  if (moment.random.chance(0.6)) calls.push(encodeCall(COLLECT, [id, from.address, MAX_UINT128, MAX_UINT128]));
  return [moment.chain.intent(from, moment.scene.v3.positions, "multicall(bytes[])", calls)];
};

const collect: Action = (moment) => {
  const found = somePosition(moment);
  if (found === undefined) return [];
  const max = moment.random.chance(0.5) ? MAX_UINT128 : 1000n;
  const terms = [found.id, found.from.address, max, MAX_UINT128];
  return [moment.chain.intent(found.from, moment.scene.v3.positions, COLLECT, terms)];
};

const close: Action = (moment) => {
  const found = somePosition(moment);
  if (found === undefined || found.from === moment.chain.builder) return [];
  const { id, position, from } = found;
  const calls = [
    ...(position.liquidity > 0n ? [encodeCall(DECREASE, [id, position.liquidity, 0n, 0n, NEVER])] : []),
    encodeCall(COLLECT, [id, from.address, MAX_UINT128, MAX_UINT128]),
    encodeCall("burn(uint256)", id),
  ];
  return [moment.chain.intent(from, moment.scene.v3.positions, "multicall(bytes[])", calls)];
};

const give: Action = (moment) => {
  const found = somePosition(moment);
  if (found === undefined) return [];
  const to = moment.random.chance(0.2) ? moment.scene.trader : someone(moment).address;
  if (found.from === moment.chain.builder) return [];
  const signature = "transferFrom(address,address,uint256)";
  return [moment.chain.intent(found.from, moment.scene.v3.positions, signature, found.from.address, to, found.id)];
};

/** A contract has a position without a token, in one of a few ranges; what it never had it cannot take out. */
const ownMint: Action = (moment) => {
  const pool = somePool(moment, 3);
  const { liquidity } = moment.reading.pools.get(pool.address)!;
  const amount = liquidity / BigInt(moment.random.between(20, 500)) + 1n;
  return [ownCall(moment, "mintV3(address,int24,int24,uint128)", pool, amount)];
};

const ownBurn: Action = (moment) => {
  const pool = somePool(moment, 3);
  const { liquidity } = moment.reading.pools.get(pool.address)!;
  const amount = moment.random.chance(0.3) ? 0n : liquidity / BigInt(moment.random.between(200, 2000));
  return [ownCall(moment, "burnV3(address,int24,int24,uint128)", pool, amount)];
};

function ownCall(moment: Moment, signature: string, { address, fee }: ScenePool, amount: bigint) {
  const spacing = SPACINGS[fee]!;
  const wide = Math.floor(880_000 / spacing) * spacing;
  const [lower, upper] = moment.random.pick([
    [-wide, wide],
    [-spacing * 100, spacing * 100],
  ] as const);
  return moment.chain.intent(someone(moment), moment.scene.trader, signature, address, lower, upper, amount);
}

/** A swap by a contract that pays in the callback, of what goes in or of what comes out. */
const ownSwap: Action = (moment) => {
  const pool = somePool(moment, 3);
  const zeroForOne = moment.random.chance(0.5);
  const token = zeroForOne ? pool.token0 : pool.token1;
  const amount = amountOf(token, someDollars(moment, 5000));
  const signature = "swapV3(address,bool,int256)";
  return [moment.chain.intent(someone(moment), moment.scene.trader, signature, pool.address, zeroForOne, amount)];
};

const flash: Action = (moment) => {
  const { chain, scene, reading, random } = moment;
  const { address } = somePool(moment, 3);
  const { balance0, balance1 } = reading.pools.get(address)!;
  const amounts = [balance0 / BigInt(random.between(10, 1000)), balance1 / BigInt(random.between(10, 1000))];
  const gifts = random.chance(0.3) ? [amounts[0]! / 100n, amounts[1]! / 100n] : [0n, 0n];
  const signature = "flashV3(address,uint256,uint256,uint256,uint256)";
  return [chain.intent(someone(moment), scene.trader, signature, address, ...amounts, ...gifts)];
};

const setFeeProtocol: Action = (moment) => {
  const { chain, random } = moment;
  const shares = [random.pick([0, 4, 5, 7, 10]), random.pick([0, 4, 6, 10])];
  return [chain.intent(chain.builder, somePool(moment, 3).address, "setFeeProtocol(uint8,uint8)", ...shares)];
};

const collectProtocol: Action = (moment) => {
  const { chain } = moment;
  const signature = "collectProtocol(address,uint128,uint128)";
  const to = someone(moment).address;
  return [chain.intent(chain.builder, somePool(moment, 3).address, signature, to, MAX_UINT128, MAX_UINT128)];
};

export const ACTIONS_V3: Readonly<Record<string, readonly [number, Action]>> = {
  swapV3: [18, swap],
  swapForExactV3: [5, swapForExact],
  hopV3: [8, hop],
  openV3: [7, open],
  increaseV3: [4, increase],
  decreaseV3: [6, decrease],
  collectV3: [4, collect],
  closeV3: [3, close],
  giveV3: [3, give],
  ownMintV3: [3, ownMint],
  ownBurnV3: [3, ownBurn],
  ownSwapV3: [5, ownSwap],
  flashV3: [4, flash],
  setFeeProtocol: [2, setFeeProtocol],
  collectProtocol: [2, collectProtocol],
};
