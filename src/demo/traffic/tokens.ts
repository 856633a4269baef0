import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { DeployedToken } from "../scene/addresses.ts";
import { balanceSlot } from "../view.ts";
import { recipient } from "./coins.ts";
import { approve, replenish } from "./funds.ts";
import type { Activity, TrafficContext } from "./trafficContext.ts";

function anyToken({ random, scene }: TrafficContext): DeployedToken {
  const { stables, tokens, deflating } = scene.addresses;
  // Stablecoins are transferred most.
  return random.pick([...stables, ...stables, ...tokens, deflating]);
}

/** Transfers a token, sometimes with an access list (EIP-2930). */
export const sendTokens: Activity = async (context) => {
  const { random, view } = context;
  const token = anyToken(context);
  const from = context.person();
  const held = await view.balance(token, from.address);
  if (held === 0n) return replenish(context, from, token);
  const to = recipient(context);
  const data = encodeCall("transfer(address,uint256)", to, random.part(held, 5, 300));
  const intent = { from, to: token.address, gas: 120_000, data };
  if (!random.chance(6)) return [intent];
  const slots = [from.address, to].map((owner) => balanceSlot(token, owner));
  return [{ ...intent, form: "accessList", accessList: [[token.address, slots]] }];
};

/** Approves a spender, spends an allowance, or revokes it. */
export const approveTokens: Activity = async (context) => {
  const { random, view, scene } = context;
  const token = random.pick([...scene.addresses.stables, ...scene.addresses.tokens]);
  const [owner, spender] = [context.person(), context.person()];
  if ((await view.allowance(token, owner.address, spender.address)) > 0n && random.chance(60)) {
    return [approve(owner, token, spender.address, 0n)];
  }
  const amount = random.part(await view.balance(token, owner.address), 10, 500);
  const approval = approve(owner, token, spender.address, amount);
  if (random.chance(50)) return [approval];
  const taken = random.part(amount, 1000, 9000);
  const data = encodeCall("transferFrom(address,address,uint256)", owner.address, recipient(context), taken);
  // Nothing orders transactions of two accounts within a block, so only older allowances are spent.
  if ((await view.allowance(token, owner.address, spender.address)) < taken) return [approval];
  return [{ from: spender, to: token.address, gas: 100_000, data }];
};
