import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { min } from "../../std/numbers.ts";
import { RESERVE } from "./funds.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

/** Another actor, or a fresh address. */
export function recipient({ random, scene }: TrafficContext, freshPercent = 45): Hex {
  return random.chance(freshPercent) ? random.address() : random.pick(scene.actors.people).address;
}

export const sendCoins: Activity = async (context) => {
  const { random, view, scene } = context;
  const from = context.person();
  const { balance } = await view.account(from.address);
  const max = balance > 2n * RESERVE ? balance / 50n : 0n;
  const wanted = context.worth(scene.addresses.wrapped, context.sum() / 4);
  const value = min(wanted, max);
  const form = random.chance(15) ? ({ form: "legacy" } as const) : {};
  return [{ from, to: recipient(context), value, gas: 21_000, ...form }];
};

export const wrapCoins: Activity = async (context) => {
  const { random, view, scene } = context;
  const from = context.person();
  const { wrapped } = scene.addresses;
  const held = await view.balance(wrapped, from.address);
  const to = wrapped.address;
  if (held > 0n && random.chance(50)) {
    return [{ from, to, gas: 60_000, data: encodeCall("withdraw(uint256)", random.part(held, 2000, 10_000)) }];
  }
  const { balance } = await view.account(from.address);
  return [{ from, to, gas: 60_000, value: random.part(balance, 1, 50), data: encodeCall("deposit()") }];
};
