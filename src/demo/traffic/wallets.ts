import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { itemAt } from "../../std/values.ts";
import type { Actor } from "../actors.ts";
import { recipient } from "./coins.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

const COIN = 10n ** 18n;

export const EXECUTE = "execute((address,uint256,bytes)[])";

/** The owner makes calls through a clone or the proxy, or funds it. */
export const useWallet: Activity = async (context) => {
  const { random, view, scene } = context;
  const { actors, addresses } = scene;
  const { wallet, owner } = random.pick([
    { wallet: addresses.clone, owner: itemAt(actors.people, 0) },
    { wallet: addresses.proxy, owner: actors.builder },
  ]);
  const { balance } = await view.account(wallet);
  if (balance < COIN) return [{ from: owner, to: wallet, gas: 60_000, value: 3n * COIN }];
  return [{ from: owner, to: wallet, gas: 400_000, data: encodeCall(EXECUTE, calls(context)) }];
};

/** Delegates an account to the wallet and batches calls (EIP-7702). */
export const delegate: Activity = async (context) => {
  const { scene } = context;
  const from: Actor = scene.actors.delegate;
  const data = encodeCall(EXECUTE, calls(context));
  return [{ from, to: from.address, gas: 450_000, data, delegateTo: scene.addresses.wallet }];
};

/** Native transfers to one or two accounts, and a wrap. */
function calls(context: TrafficContext): [Hex, bigint, Hex][] {
  const { random, scene } = context;
  const pay = (): [Hex, bigint, Hex] => [recipient(context), random.part(COIN, 50, 1500), "0x"];
  const wrap: [Hex, bigint, Hex] = [scene.addresses.wrapped.address, random.part(COIN, 50, 1500), "0xd0e30db0"];
  return random.chance(50) ? [pay(), wrap] : [pay(), pay(), wrap];
}
