import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Action, Asset } from "./action.ts";

const present = <T>(values: readonly (T | null | undefined)[]): T[] =>
  values.filter((value) => value !== null && value !== undefined);

/** Accounts that an action names. */
export function addressesIn(action: Action): Bytes[] {
  switch (action.type) {
    case "approve":
      return [action.owner, action.spender];
    case "wrap":
    case "unwrap":
      return [action.account];
    case "delegate":
      return present([action.account, action.delegate]);
    case "create_contract":
      return [action.contract];
    case "post_blobs":
      return present([action.to]);
    case "transfer":
    case "mint":
    case "burn":
    case "send":
      return present([action.from, action.to]);
    default:
      return [];
  }
}

/** Assets that change hands. */
export function assetsIn(action: Action): readonly Asset[] {
  switch (action.type) {
    case "swap":
      return [...action.given, ...action.received];
    case "add_liquidity":
    case "remove_liquidity":
    case "collect":
      return action.assets;
    case "transfer":
    case "mint":
    case "burn":
    case "send":
    case "wrap":
    case "unwrap":
      return [action.asset];
    default:
      return [];
  }
}
