import type { Bytes } from "../../chain/encoding/bytes.ts";
import { isZero } from "../../chain/encoding/bytes.ts";
import type {
  Action,
  ActionPool,
  ApprovalAction,
  Asset,
  DelegationAction,
  SwapAction,
  TransferAction,
} from "./action.ts";
import { UNLIMITED } from "./action.ts";
import type { Part, Sentence } from "./sentenceParts.ts";
import { coins, enumerate, isSame, say } from "./sentenceParts.ts";

const NONE: readonly Part[] = [];
type Described = Omit<Sentence, "also">;

const only = (headline: readonly Part[]): Described => ({ headline, detail: NONE });
const assets = (all: readonly Asset[]): Part[] => enumerate(all.map((asset) => ({ asset })));

export function describeAction(action: Action, sender: Bytes, viewer: Bytes): Described {
  switch (action.type) {
    case "swap":
      return describeSwap(action);
    case "add_liquidity":
      return { headline: say`Added ${assets(action.assets)}`, detail: say`as liquidity to ${poolOf(action.pool)}` };
    case "remove_liquidity":
      return { headline: say`Removed ${assets(action.assets)}`, detail: say`of liquidity from ${poolOf(action.pool)}` };
    case "collect":
      return { headline: say`Collected ${assets(action.assets)}`, detail: say`from ${poolOf(action.pool)}` };
    case "approve":
      return { headline: describeApproval(action), detail: isSame(action.owner, sender) ? NONE : ofOwner(action) };
    case "wrap":
      return {
        headline: say`Wrapped ${coins(action.asset.amount)}`,
        detail: say`as ${{ token: action.asset.token! }}`,
      };
    case "unwrap":
      return only(say`Unwrapped ${{ asset: action.asset }}`);
    case "delegate":
      return only(describeDelegation(action));
    case "create_contract":
      return only(say`Created the contract ${{ address: action.contract }}`);
    case "post_blobs": {
      const detail = action.to === null ? NONE : say`to ${{ address: action.to }}`;
      return { headline: [`Posted ${action.count} ${action.count === 1 ? "blob" : "blobs"}`], detail };
    }
    default:
      return only(describeTransfer(action, sender, viewer));
  }
}

const ofOwner = ({ owner }: ApprovalAction): Part[] => say`on behalf of ${{ address: owner }}`;

const poolOf = (pool: ActionPool): Part[] =>
  pool.exchange === undefined ? [{ pool }] : say`${{ pool }} on ${{ text: pool.exchange }}`;

function describeSwap({ given, received, pools }: SwapAction): Described {
  const names = enumerate(pools.map((pool) => ({ pool })));
  const [exchange, ...others] = new Set(pools.map((pool) => pool.exchange));
  const isOne = exchange !== undefined && others.length === 0;
  const detail = isOne ? say`on ${{ text: exchange }}, ${names}` : say`through ${names}`;
  if (given.length === 0) return { headline: say`Gained ${assets(received)} in a cycle of swaps`, detail };
  if (received.length === 0) return { headline: say`Lost ${assets(given)} in a cycle of swaps`, detail };
  return { headline: say`Swapped ${assets(given)} for ${assets(received)}`, detail };
}

function describeTransfer(
  { type, asset, from, to }: Omit<TransferAction, "type"> & { readonly type: TransferAction["type"] | "send" },
  sender: Bytes,
  viewer: Bytes,
): Part[] {
  const what: Part = { asset };
  const isViewed = isSame(to, viewer) && !isSame(from, viewer);
  if (type === "mint")
    return isSame(to, sender) || to === undefined ? say`Minted ${what}` : say`Minted ${what} to ${{ address: to }}`;
  if (type === "burn")
    return isSame(from, sender) || from === undefined ? say`Burnt ${what}` : say`Burnt ${what} of ${{ address: from }}`;
  if (isViewed && from !== undefined) return say`Received ${what} from ${{ address: from }}`;
  const target = to === undefined ? NONE : say` to ${{ address: to }}`;
  if (isSame(from, sender)) return say`Sent ${what}${target}`;
  const source = from === undefined ? NONE : say` from ${{ address: from }}`;
  return say`Transferred ${what}${source}${target}`;
}

function describeApproval({ token, spender, of }: ApprovalAction): Part[] {
  const who: Part = { address: spender };
  if ("all" in of) return of.all ? say`Approved ${who} for all ${{ token }}` : say`Revoked ${who} for all ${{ token }}`;
  if ("id" in of) {
    const item: Part = { asset: { token, amount: 1n, ids: [of.id] } };
    return isZero(spender) ? say`Revoked the approval of ${item}` : say`Approved ${who} for ${item}`;
  }
  if (of.amount === 0n) return say`Revoked the approval of ${who} to spend ${{ token }}`;
  if (of.amount >= UNLIMITED) return say`Approved ${who} to spend unlimited ${{ token }}`;
  return say`Approved ${who} to spend ${{ asset: { token, amount: of.amount } }}`;
}

function describeDelegation({ account, delegate, isApplied }: DelegationAction): Part[] {
  const who: Part[] = account === undefined ? ["an account"] : [{ address: account }];
  if (delegate === undefined) {
    if (isApplied === undefined) return say`Authorized to end the delegation of ${who}`;
    return isApplied ? say`Ended the delegation of ${who}` : say`Did not end the delegation of ${who}`;
  }
  const to: Part = { address: delegate };
  if (isApplied === undefined) return say`Authorized to delegate ${who} to ${to}`;
  return isApplied ? say`Delegated ${who} to ${to}` : say`Did not delegate ${who} to ${to}`;
}
