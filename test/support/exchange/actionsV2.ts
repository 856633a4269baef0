import type { Action, Moment } from "./actions.ts";
import { amountOf, direction, partOf, someDollars, someone, somePath, somePool } from "./actions.ts";
import type { SceneToken } from "./scene.ts";
import { NEVER, ZERO_ADDRESS } from "./scene.ts";

/** Tokens that burn a part of what is moved need the functions that look at balances. */
function swapAlong(moment: Moment, tokens: readonly SceneToken[]) {
  const { chain, scene, random } = moment;
  const from = someone(moment);
  const amount = amountOf(tokens[0]!, someDollars(moment));
  const path = tokens.map(({ address }) => address);
  const { WETH, DTT } = scene.tokens;
  const suffix = tokens.includes(DTT) || random.chance(0.1) ? "SupportingFeeOnTransferTokens" : "";
  const end = [path, from.address, NEVER] as const;
  const to = scene.v2.router;
  if (tokens[0] === WETH && random.chance(0.3)) {
    const signature = `swapExactETHForTokens${suffix}(uint256,address[],address,uint256)`;
    return [{ ...chain.intent(from, to, signature, 0n, ...end), value: amount }];
  }
  const isPaidOut = tokens.at(-1) === WETH && random.chance(0.3);
  const name = isPaidOut ? "swapExactTokensForETH" : "swapExactTokensForTokens";
  const signature = `${name}${suffix}(uint256,uint256,address[],address,uint256)`;
  return [chain.intent(from, to, signature, amount, 0n, ...end)];
}

const swap: Action = (moment) => swapAlong(moment, direction(moment, somePool(moment, 2)));

const hop: Action = (moment) => swapAlong(moment, somePath(moment, 2).tokens);

const swapForExact: Action = (moment) => {
  const [tokenIn, tokenOut] = direction(moment, somePool(moment, 2));
  const from = someone(moment);
  const amount = amountOf(tokenOut, someDollars(moment, 5000));
  const signature = "swapTokensForExactTokens(uint256,uint256,address[],address,uint256)";
  const path = [tokenIn.address, tokenOut.address];
  return [moment.chain.intent(from, moment.scene.v2.router, signature, amount, 2n ** 200n, path, from.address, NEVER)];
};

const add: Action = (moment) => {
  const { token0, token1 } = somePool(moment, 2);
  const from = someone(moment);
  const dollars = someDollars(moment);
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const amounts = [amountOf(token0, dollars * 1.5), amountOf(token1, dollars * 1.5), 0n, 0n];
  const tokens = [token0.address, token1.address];
  return [moment.chain.intent(from, moment.scene.v2.router, signature, ...tokens, ...amounts, from.address, NEVER)];
};

/** Pairs let the router take shares only by approval: what is to go is sent to the pair, which then burns it. */
const remove: Action = (moment) => {
  const { address } = somePool(moment, 2);
  const holders = moment.chain.actors.filter((actor) => sharesOf(moment, address, actor.address) > 0n);
  if (holders.length === 0) return [];
  const from = moment.random.pick(holders);
  const amount = partOf(moment, sharesOf(moment, address, from.address));
  const { chain } = moment;
  return [
    chain.intent(from, address, "transfer(address,uint256)", address, from === chain.builder ? amount / 2n : amount),
    chain.intent(from, address, "burn(address)", from.address),
  ];
};

function sharesOf({ reading }: Moment, pair: `0x${string}`, holder: `0x${string}`): bigint {
  return reading.shares.get(pair)?.get(holder) ?? 0n;
}

const giveShares: Action = (moment) => {
  const { address } = somePool(moment, 2);
  const from = someone(moment);
  const amount = partOf(moment, sharesOf(moment, address, from.address));
  return [moment.chain.intent(from, address, "transfer(address,uint256)", someone(moment).address, amount / 3n)];
};

/** Takes one or both tokens, and gives back enough of one, of the other, or of both. */
const flash: Action = (moment) => {
  const { random, scene, chain, reading } = moment;
  const { address, token0, token1 } = somePool(moment, 2);
  const { reserve0, reserve1 } = reading.pairs.get(address)!;
  const part = BigInt(random.between(1, 200));
  const [out0, out1] = random.pick([
    [(reserve0 * part) / 1000n, 0n],
    [0n, (reserve1 * part) / 1000n],
    [(reserve0 * part) / 1000n, (reserve1 * part) / 2000n],
  ] as const);
  const same = [(out0 * 1010n) / 1000n, (out1 * 1010n) / 1000n] as const;
  const other = [out1 === 0n ? 0n : reserve0 / 2n, out0 === 0n ? 0n : reserve1 / 2n] as const;
  const [back0, back1] = random.chance(0.6) ? same : other;
  if (out0 === 0n && out1 === 0n) return [];
  const mint = "mint(address,uint256)";
  const funds = [token0, token1]
    .filter((token) => token !== scene.tokens.WETH && token !== scene.tokens.DTT)
    .map((token) => chain.intent(chain.builder, token.address, mint, scene.trader, token.unit * 100_000n));
  const signature = "flashV2(address,uint256,uint256,uint256,uint256)";
  return [...funds, chain.intent(someone(moment), scene.trader, signature, address, out0, out1, back0, back1)];
};

/** Transfers tokens to a pool directly. */
export const donate: Action = (moment) => {
  const pool = somePool(moment, moment.random.chance(0.5) ? 2 : 3);
  const [token] = direction(moment, pool);
  const amount = amountOf(token, someDollars(moment, 300));
  return [moment.chain.intent(someone(moment), token.address, "transfer(address,uint256)", pool.address, amount)];
};

const skim: Action = (moment) => {
  const from = someone(moment);
  return [moment.chain.intent(from, somePool(moment, 2).address, "skim(address)", from.address)];
};

const sync: Action = (moment) => [moment.chain.intent(someone(moment), somePool(moment, 2).address, "sync()")];

/** Turns the protocol fee of a sixth on or off. */
const setFeeTo: Action = (moment) => {
  const { chain, scene, random } = moment;
  const to = random.chance(0.7) ? someone(moment).address : ZERO_ADDRESS;
  return [chain.intent(chain.builder, scene.v2.factory, "setFeeTo(address)", to)];
};

const thereAndBack: Action = (moment) => {
  const { chain, scene } = moment;
  const { address, token0 } = somePool(moment, 2);
  const { reserve0, reserve1 } = moment.reading.pairs.get(address)!;
  const out = reserve1 / 100n;
  if (out === 0n || token0 === scene.tokens.DTT) return [];
  const data = [
    chain.intent(
      chain.builder,
      scene.trader,
      "flashV2(address,uint256,uint256,uint256,uint256)",
      address,
      0n,
      out,
      reserve0 / 20n,
      0n,
    ),
    chain.intent(chain.builder, address, "sync()"),
    chain.intent(
      chain.builder,
      scene.trader,
      "flashV2(address,uint256,uint256,uint256,uint256)",
      address,
      reserve0 / 500n,
      0n,
      0n,
      reserve1 / 50n,
    ),
  ].map((intent) => intent.data!);
  const targets = [scene.trader, address, scene.trader];
  return [chain.intent(someone(moment), scene.trader, "many(address[],bytes[])", targets, data)];
};

export const ACTIONS_V2: Readonly<Record<string, readonly [number, Action]>> = {
  swapV2: [20, swap],
  hopV2: [8, hop],
  swapForExactV2: [5, swapForExact],
  addV2: [7, add],
  removeV2: [6, remove],
  giveShares: [3, giveShares],
  flashV2: [6, flash],
  thereAndBackV2: [3, thereAndBack],
  donate: [4, donate],
  skim: [2, skim],
  sync: [2, sync],
  setFeeTo: [1, setFeeTo],
};
