import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { recipient } from "./coins.ts";
import type { Act } from "./moment.ts";

export const mintPiece: Act = async (moment) => {
  const { collection } = moment.scene.addresses;
  const from = moment.scene.actors.builder;
  return [{ from, to: collection, gas: 220_000, data: encodeCall("mint(address)", recipient(moment, 30)) }];
};

export const movePiece: Act = async (moment) => {
  const { random, view, scene } = moment;
  const { collection } = scene.addresses;
  const from = moment.person();
  const [count] = await view.call(collection, "balanceOf(address)", from.address);
  if (count === 0n) return mintPiece(moment);
  const index = random.below(Number(count));
  const id = await view.number(collection, "tokenOfOwnerByIndex(address,uint256)", from.address, index);
  const name = random.chance(50) ? "safeTransferFrom" : "transferFrom";
  const data = encodeCall(`${name}(address,address,uint256)`, from.address, recipient(moment, 20), id);
  return [{ from, to: collection, gas: 200_000, data }];
};

/** Approves an operator for all items. */
export const approveAll: Act = async (moment) => {
  const { random, scene } = moment;
  const { collection, items } = scene.addresses;
  const from = moment.person();
  const data = encodeCall("setApprovalForAll(address,bool)", moment.person().address, random.chance(70));
  return [{ from, to: random.pick([collection, items]), gas: 80_000, data }];
};
