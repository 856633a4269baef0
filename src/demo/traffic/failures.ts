import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { itemAt } from "../../std/values.ts";
import { FIRST_SALT } from "../scene/contracts.ts";
import { MAX_AMOUNT } from "../scene/exchangeV2.ts";
import { allow } from "./funds.ts";
import { tradeV2 } from "./swapV2.ts";
import { tradeV3 } from "./swapV3.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";
import { EXECUTE } from "./wallets.ts";

async function overspend(context: TrafficContext) {
  const { random, view, scene } = context;
  const token = random.pick([...scene.addresses.stables, ...scene.addresses.tokens]);
  const [from, to] = [context.person(), context.person()];
  const held = await view.balance(token, from.address);
  return [
    { from, to: token.address, gas: 80_000, data: encodeCall("transfer(address,uint256)", to.address, held + 1n) },
  ];
}

async function mintForeign(context: TrafficContext) {
  const { random, scene } = context;
  const from = context.person();
  const { address } = random.pick(scene.addresses.tokens);
  return [{ from, to: address, gas: 80_000, data: encodeCall("mint(address,uint256)", from.address, 10n ** 18n) }];
}

async function hopeV2(context: TrafficContext) {
  const { wrapped, stables } = context.scene.addresses;
  const amount = context.worth(wrapped, context.sum());
  return tradeV2(
    context,
    context.person(),
    [wrapped, itemAt(stables, 0)],
    amount,
    context.worth(itemAt(stables, 0), 10_000_000),
  );
}

async function hopeV3(context: TrafficContext) {
  const pool = itemAt(context.scene.addresses.v3.pools, 0);
  const { wrapped, stables } = context.scene.addresses;
  const trade = { tokenIn: wrapped, tokenOut: itemAt(stables, 0), amountIn: context.worth(wrapped, context.sum()) };
  return tradeV3(context, context.person(), pool, trade, -400);
}

async function comeLate(context: TrafficContext) {
  const { wrapped, stables, v2 } = context.scene.addresses;
  const from = context.person();
  const path = [itemAt(stables, 0).address, wrapped.address];
  const amount = context.worth(itemAt(stables, 0), 25);
  const signature = "swapExactTokensForETH(uint256,uint256,address[],address,uint256)";
  const data = encodeCall(signature, amount, 0n, path, from.address, context.time - 600);
  return [
    ...(await allow(context, from, itemAt(stables, 0), v2.router, amount)),
    { from, to: v2.router, gas: 250_000, data },
  ];
}

/** Reuses a salt: a custom error of the factory. */
async function repeatSalt(context: TrafficContext) {
  const from = context.person();
  const data = encodeCall("create(address,bytes32)", from.address, FIRST_SALT);
  return [{ from, to: context.scene.addresses.factory, gas: 200_000, data }];
}

/** Calls the proxy's wallet as a stranger: a custom error through DELEGATECALL. */
async function useForeign(context: TrafficContext) {
  const from = context.person();
  const data = encodeCall(EXECUTE, [[from.address, 10n ** 18n, "0x"]]);
  return [{ from, to: context.scene.addresses.proxy, gas: 120_000, data }];
}

async function takePiece(context: TrafficContext) {
  const from = context.person();
  const { collection } = context.scene.addresses;
  const owner = context.scene.actors.builder.address;
  const data = encodeCall("transferFrom(address,address,uint256)", owner, from.address, 0n);
  return [{ from, to: collection, gas: 100_000, data }];
}

async function runDry(context: TrafficContext) {
  const stable = itemAt(context.scene.addresses.stables, 0);
  const [from, to] = [context.person(), context.random.address()];
  return [{ from, to: stable.address, gas: 31_000, data: encodeCall("transfer(address,uint256)", to, 1n) }];
}

/** Reverts without a message. */
async function unwrapNothing(context: TrafficContext) {
  const { wrapped } = context.scene.addresses;
  return [
    { from: context.person(), to: wrapped.address, gas: 60_000, data: encodeCall("withdraw(uint256)", MAX_AMOUNT) },
  ];
}

export const WAYS: readonly Activity[] = [
  overspend,
  mintForeign,
  hopeV2,
  hopeV3,
  comeLate,
  repeatSalt,
  useForeign,
  takePiece,
  runDry,
  unwrapNothing,
];

export const fail: Activity = (context) => context.random.pick(WAYS)(context);
