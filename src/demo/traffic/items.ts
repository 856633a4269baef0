import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { itemAt } from "../../std/values.ts";
import { ITEM_KINDS } from "../scene/contracts.ts";
import { recipient } from "./coins.ts";
import type { Activity } from "./trafficContext.ts";

const BATCH = "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)";
const SINGLE = "safeTransferFrom(address,address,uint256,uint256,bytes)";

const KINDS = Array.from({ length: ITEM_KINDS }, (_, index) => index + 1);

export const mintItems: Activity = async (context) => {
  const { random, scene } = context;
  const kinds = KINDS.filter(() => random.chance(50));
  const amounts = kinds.map(() => random.between(1, 200));
  const data = encodeCall("mintBatch(address,uint256[],uint256[],bytes)", recipient(context, 10), kinds, amounts, "0x");
  return [{ from: scene.actors.builder, to: scene.addresses.items, gas: 400_000, data }];
};

/** Sends items of one kind or several. */
export const moveItems: Activity = async (context) => {
  const { random, view, scene } = context;
  const from = context.person();
  const { items } = scene.addresses;
  const owners = KINDS.map(() => from.address);
  // ABI offset and length come first.
  const held = (await view.call(items, "balanceOfBatch(address[],uint256[])", owners, KINDS)).slice(2);
  const some = KINDS.filter((_, index) => itemAt(held, index) > 0n);
  if (some.length === 0) return mintItems(context);
  const amountOf = (kind: number) => 1n + random.part(itemAt(held, kind - 1) - 1n, 0, 1500);
  const to = recipient(context, 20);
  const intent = { from, to: items, gas: 350_000 };
  if (random.chance(40)) {
    const kind = random.pick(some);
    return [{ ...intent, data: encodeCall(SINGLE, from.address, to, kind, amountOf(kind), "0x") }];
  }
  return [{ ...intent, data: encodeCall(BATCH, from.address, to, some, some.map(amountOf), "0x") }];
};
