import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { defined, itemAt } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { DeployedPool, DeployedToken } from "../scene/addresses.ts";
import { affords, allow, replenish } from "./funds.ts";
import { pathThrough } from "./swapV2.ts";
import type { Trade } from "./trade.ts";
import { atLeast, chooseTrade } from "./trade.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

const SINGLE = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))";
const PATH = "exactInput((bytes,address,uint256,uint256,uint256))";

export const swapV3: Activity = async (context) => {
  const pool = context.random.pick(context.scene.addresses.v3.pools);
  return tradeV3(context, context.person(), pool, await chooseTrade(context, pool));
};

export async function tradeV3(
  context: TrafficContext,
  from: Actor,
  { fee }: DeployedPool,
  trade: Trade,
  percentLess = 8,
) {
  const { tokenIn, tokenOut, amountIn } = trade;
  const outMin = atLeast(context, trade, percentLess);
  return send(context, from, trade, (recipient) =>
    encodeCall(SINGLE, [
      tokenIn.address,
      tokenOut.address,
      fee,
      recipient,
      context.deadline,
      amountIn,
      outMin > 0n ? outMin : 0n,
      0n,
    ]),
  );
}

export const hopV3: Activity = async (context) => {
  const path = pathThrough(context, context.scene.addresses.v3.pools);
  const tokenIn = itemAt(path, 0);
  const trade = { tokenIn, tokenOut: defined(path.at(-1)), amountIn: context.worth(tokenIn, context.sum()) };
  const packed = packPath(context, path);
  const outMin = atLeast(context, trade, 12);
  return send(context, context.person(), trade, (recipient) =>
    encodeCall(PATH, [packed, recipient, context.deadline, trade.amountIn, outMin]),
  );
};

/** Packed path: token, fee, token, fee, token. */
function packPath({ scene, random }: TrafficContext, path: readonly DeployedToken[]): Hex {
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
  context: TrafficContext,
  from: Actor,
  { tokenIn, tokenOut, amountIn }: Trade,
  swap: (recipient: Hex) => Hex,
): Promise<Intent[]> {
  if (!(await affords(context, from, tokenIn, amountIn))) return replenish(context, from, tokenIn);
  const { router } = context.scene.addresses.v3;
  const before = await allow(context, from, tokenIn, router, amountIn);
  const intent = { from, to: router, gas: 550_000 };
  if (tokenIn.kind === "wrapped") return [{ ...intent, value: amountIn, data: swap(from.address) }];
  if (tokenOut.kind !== "wrapped") return [...before, { ...intent, data: swap(from.address) }];
  const calls = [swap(ZERO_ADDRESS), encodeCall("unwrapWETH9(uint256,address)", 0n, from.address)];
  return [...before, { ...intent, data: encodeCall("multicall(bytes[])", calls) }];
}
