import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { defined, itemAt } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { PlacedPool, PlacedToken } from "../scene/addresses.ts";
import { affords, allow, replenish } from "./funds.ts";
import type { Act, Moment } from "./moment.ts";
import { pathThrough } from "./swapV2.ts";
import type { Trade } from "./trade.ts";
import { atLeast, chooseTrade } from "./trade.ts";

const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

const SINGLE = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
const PATH = "exactInput((bytes,address,uint256,uint256,uint256))";

export const swapV3: Act = async (moment) => {
  const pool = moment.random.pick(moment.scene.addresses.v3.pools);
  return tradeV3(moment, moment.person(), pool, await chooseTrade(moment, pool));
};

export async function tradeV3(moment: Moment, from: Actor, { fee }: PlacedPool, trade: Trade, percentLess = 8) {
  const { tokenIn, tokenOut, amountIn } = trade;
  const outMin = atLeast(moment, trade, percentLess);
  return send(moment, from, trade, (recipient) =>
    encodeCall(SINGLE, [
      tokenIn.address,
      tokenOut.address,
      fee,
      recipient,
      moment.deadline,
      amountIn,
      outMin > 0n ? outMin : 0n,
      0n,
    ]),
  );
}

export const hopV3: Act = async (moment) => {
  const path = pathThrough(moment, moment.scene.addresses.v3.pools);
  const tokenIn = itemAt(path, 0);
  const trade = { tokenIn, tokenOut: defined(path.at(-1)), amountIn: moment.worth(tokenIn, moment.sum()) };
  const packed = packPath(moment, path);
  const outMin = atLeast(moment, trade, 12);
  return send(moment, moment.person(), trade, (recipient) =>
    encodeCall(PATH, [packed, recipient, moment.deadline, trade.amountIn, outMin]),
  );
};

/** Packed path: token, fee, token, fee, token. */
function packPath({ scene, random }: Moment, path: readonly PlacedToken[]): Hex {
  let packed: Hex = itemAt(path, 0).address;
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [itemAt(path, i - 1), itemAt(path, i)];
    const pools = scene.addresses.v3.pools.filter(({ token0, token1 }) => {
      return (token0 === from && token1 === to) || (token0 === to && token1 === from);
    });
    packed = `${packed}${random.pick(pools).fee.toString(16).padStart(6, "0")}${to.address.slice(2)}`;
  }
  return packed;
}

/** Native coin is sent directly and unwrapped by a second call. */
async function send(
  moment: Moment,
  from: Actor,
  { tokenIn, tokenOut, amountIn }: Trade,
  swap: (recipient: Hex) => Hex,
): Promise<Intent[]> {
  if (!(await affords(moment, from, tokenIn, amountIn))) return replenish(moment, from, tokenIn);
  const { router } = moment.scene.addresses.v3;
  const before = await allow(moment, from, tokenIn, router, amountIn);
  const intent = { from, to: router, gas: 550_000 };
  if (tokenIn.kind === "wrapped") return [{ ...intent, value: amountIn, data: swap(from.address) }];
  if (tokenOut.kind !== "wrapped") return [...before, { ...intent, data: swap(from.address) }];
  const calls = [swap(ZERO_ADDRESS), encodeCall("unwrapWETH9(uint256,address)", 0n, from.address)];
  return [...before, { ...intent, data: encodeCall("multicall(bytes[])", calls) }];
}
