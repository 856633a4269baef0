import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { recipient } from "./coins.ts";
import type { Activity } from "./trafficContext.ts";

export const mintPiece: Activity = async (context) => {
  const { collection } = context.scene.addresses;
  const from = context.scene.actors.builder;
  return [{ from, to: collection, gas: 220_000, data: encodeCall("mint(address)", recipient(context, 30)) }];
};

export const movePiece: Activity = async (context) => {
  const { random, view, scene } = context;
  const { collection } = scene.addresses;
  const from = context.person();
  const [count] = await view.call(collection, "balanceOf(address)", from.address);
  if (count === 0n) return mintPiece(context);
  const index = random.below(Number(count));
  const id = await view.number(collection, "tokenOfOwnerByIndex(address,uint256)", from.address, index);
  const name = random.chance(50) ? "safeTransferFrom" : "transferFrom";
  const data = encodeCall(`${name}(address,address,uint256)`, from.address, recipient(context, 20), id);
  return [{ from, to: collection, gas: 200_000, data }];
};

/** Approves an operator for all items. */
export const approveAll: Activity = async (context) => {
  const { random, scene } = context;
  const { collection, items } = scene.addresses;
  const from = context.person();
  const data = encodeCall("setApprovalForAll(address,bool)", context.person().address, random.chance(70));
  return [{ from, to: random.pick([collection, items]), gas: 80_000, data }];
};
