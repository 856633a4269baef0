import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { Actor } from "../actors.ts";
import type { Intent } from "../intent.ts";
import type { DeployedToken } from "../scene/addresses.ts";
import { MAX_AMOUNT } from "../scene/exchangeV2.ts";
import type { Held } from "../view.ts";
import type { TrafficContext } from "./trafficContext.ts";

export function approve(from: Actor, { address }: Pick<Held, "address">, spender: Hex, amount = MAX_AMOUNT): Intent {
  return { from, to: address, gas: 60_000, data: encodeCall("approve(address,uint256)", spender, amount) };
}

/** Empty if the allowance suffices. */
export async function allow({ view }: TrafficContext, from: Actor, token: Held, spender: Hex, amount: bigint) {
  if (token.kind === "wrapped") return [];
  const allowance = await view.allowance(token, from.address, spender);
  return allowance >= amount ? [] : [approve(from, token, spender)];
}

/** Counts native coin for the wrapped token, since routers wrap. */
export async function affords({ view }: TrafficContext, { address }: Actor, token: DeployedToken, amount: bigint) {
  if (token.kind !== "wrapped") return (await view.balance(token, address)) >= amount;
  return (await view.account(address)).balance > amount + RESERVE;
}

/** Kept for gas. */
export const RESERVE = 10n ** 18n;

/** Funds an account that lacks a token. */
export function replenish(context: TrafficContext, { address }: Actor, token: DeployedToken): Intent[] {
  const { spec, actors, addresses } = context.scene;
  const amount = context.worth(token, spec.purse / (token.kind === "deflating" ? 20 : 1));
  const from = token === addresses.copy ? actors.copyist : actors.builder;
  const give = (signature: string) => [
    { from, to: token.address, gas: 120_000, data: encodeCall(signature, address, amount) },
  ];
  if (token.kind === "wrapped") return [];
  return token.kind === "deflating" ? give("transfer(address,uint256)") : give("mint(address,uint256)");
}
