import { encodeCall } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { itemAt } from "../../std/values.ts";
import type { Actors } from "../actors.ts";
import type { Artifacts } from "../artifacts.ts";
import type { Plan } from "./plan.ts";
import { saltedAddress } from "./plan.ts";
import type { SceneSpec } from "./spec.ts";

/** Initial item kinds of the ERC-1155. */
export const ITEM_KINDS = 6;

/** Salt of the first clone. */
export const FIRST_SALT: Hex = `0x${"0".repeat(63)}1`;

export function planCollectibles(plan: Plan, spec: SceneSpec, { builder, people }: Actors, code: Artifacts) {
  const { name, symbol, uri } = spec.collection;
  const collection = plan.deploy(builder, code.ERC721, ["string", "string", "string"], name, symbol, uri);
  const items = plan.deploy(builder, code.ERC1155, ["string"], spec.items);
  for (const { address } of people) plan.call(builder, collection, 220_000, "mint(address)", address);
  plan.endBlock();
  const kinds = Array.from({ length: ITEM_KINDS }, (_, index) => index + 1);
  const amounts = kinds.map((kind) => 5000 / kind);
  const mintBatch = "mintBatch(address,uint256[],uint256[],bytes)";
  for (const { address } of [builder, ...people.slice(0, 4)]) {
    plan.call(builder, items, 400_000, mintBatch, address, kinds, amounts.map(Math.floor), "0x");
  }
  plan.endBlock();
  return { collection, items };
}

/** A wallet, an EIP-1967 proxy for it, and an EIP-1167 clone factory. */
export function planWallets(plan: Plan, { builder, people }: Actors, code: Artifacts) {
  const wallet = plan.deploy(builder, code.Wallet, []);
  const open = encodeCall("open(address)", builder.address);
  const proxy = plan.deploy(builder, code.ERC1967Proxy, ["address", "bytes"], wallet, open);
  const factory = plan.deploy(builder, code.Factory, ["address"], wallet);
  const create = encodeCall("create(address,bytes32)", itemAt(people, 0).address, FIRST_SALT);
  plan.pay(itemAt(people, 0), factory, 250_000, 2n * 10n ** 18n, create);
  plan.pay(builder, proxy, 60_000, 25n * 10n ** 18n, "0x");
  plan.endBlock();
  return { wallet, proxy, factory, clone: saltedAddress(factory, FIRST_SALT, cloneHash(wallet)) };
}

/** Init code hash of OpenZeppelin's clone. */
function cloneHash(implementation: Hex): Hex {
  const code = `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  return toHex(keccak256(fromHex(code)));
}
