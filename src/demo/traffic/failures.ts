import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { itemAt } from "../../std/values.ts";
import { FIRST_SALT } from "../scene/contracts.ts";
import { MAX_AMOUNT } from "../scene/exchangeV2.ts";
import { allow } from "./funds.ts";
import type { Act, Moment } from "./moment.ts";
import { tradeV2 } from "./swapV2.ts";
import { tradeV3 } from "./swapV3.ts";
import { EXECUTE } from "./wallets.ts";

async function overspend(moment: Moment) {
  const { random, view, scene } = moment;
  const token = random.pick([...scene.addresses.stables, ...scene.addresses.tokens]);
  const [from, to] = [moment.person(), moment.person()];
  const held = await view.balance(token, from.address);
  return [
    { from, to: token.address, gas: 80_000, data: encodeCall("transfer(address,uint256)", to.address, held + 1n) },
  ];
}

async function mintForeign(moment: Moment) {
  const { random, scene } = moment;
  const from = moment.person();
  const { address } = random.pick(scene.addresses.tokens);
  return [{ from, to: address, gas: 80_000, data: encodeCall("mint(address,uint256)", from.address, 10n ** 18n) }];
}

async function hopeV2(moment: Moment) {
  const { wrapped, stables } = moment.scene.addresses;
  const amount = moment.worth(wrapped, moment.sum());
  return tradeV2(
    moment,
    moment.person(),
    [wrapped, itemAt(stables, 0)],
    amount,
    moment.worth(itemAt(stables, 0), 10_000_000),
  );
}

async function hopeV3(moment: Moment) {
  const pool = itemAt(moment.scene.addresses.v3.pools, 0);
  const { wrapped, stables } = moment.scene.addresses;
  const trade = { tokenIn: wrapped, tokenOut: itemAt(stables, 0), amountIn: moment.worth(wrapped, moment.sum()) };
  return tradeV3(moment, moment.person(), pool, trade, -400);
}

async function comeLate(moment: Moment) {
  const { wrapped, stables, v2 } = moment.scene.addresses;
  const from = moment.person();
  const path = [itemAt(stables, 0).address, wrapped.address];
  const amount = moment.worth(itemAt(stables, 0), 25);
  const signature = "swapExactTokensForETH(uint256,uint256,address[],address,uint256)";
  const data = encodeCall(signature, amount, 0n, path, from.address, moment.time - 600);
  return [
    ...(await allow(moment, from, itemAt(stables, 0), v2.router, amount)),
    { from, to: v2.router, gas: 250_000, data },
  ];
}

/** Reuses a salt: a custom error of the factory. */
async function repeatSalt(moment: Moment) {
  const from = moment.person();
  const data = encodeCall("create(address,bytes32)", from.address, FIRST_SALT);
  return [{ from, to: moment.scene.addresses.factory, gas: 200_000, data }];
}

/** Calls the proxy's wallet as a stranger: a custom error through DELEGATECALL. */
async function useForeign(moment: Moment) {
  const from = moment.person();
  const data = encodeCall(EXECUTE, [[from.address, 10n ** 18n, "0x"]]);
  return [{ from, to: moment.scene.addresses.proxy, gas: 120_000, data }];
}

async function takePiece(moment: Moment) {
  const from = moment.person();
  const { collection } = moment.scene.addresses;
  const owner = moment.scene.actors.builder.address;
  const data = encodeCall("transferFrom(address,address,uint256)", owner, from.address, 0n);
  return [{ from, to: collection, gas: 100_000, data }];
}

async function runDry(moment: Moment) {
  const stable = itemAt(moment.scene.addresses.stables, 0);
  const [from, to] = [moment.person(), moment.random.address()];
  return [{ from, to: stable.address, gas: 31_000, data: encodeCall("transfer(address,uint256)", to, 1n) }];
}

/** Reverts without a message. */
async function unwrapNothing(moment: Moment) {
  const { wrapped } = moment.scene.addresses;
  return [
    { from: moment.person(), to: wrapped.address, gas: 60_000, data: encodeCall("withdraw(uint256)", MAX_AMOUNT) },
  ];
}

export const WAYS: readonly Act[] = [
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

export const fail: Act = (moment) => moment.random.pick(WAYS)(moment);
