import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Action, ActionPool, ApprovalAction, Asset } from "../../../query/actions/action.ts";
import { UNLIMITED } from "../../../query/actions/action.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type { ActionPoolSchema, ActionSchema, AssetSchema, BatchPartSchema } from "./actionSchema.ts";
import { presentMethod } from "./presentMethod.ts";

type Described = Pick<TransactionDetails, "actions" | "addresses" | "copies">;
type Presented = Shape<typeof ActionSchema>;

export function presentActions({ actions: { actions }, addresses, copies }: Described): Presented[] {
  const asset = ({ token, amount, ids }: Asset): Shape<typeof AssetSchema> => ({
    token: token && presentToken(token),
    amount: String(amount),
    token_ids: ids?.map(String) ?? null,
    is_copy: token !== null && copies.has(token),
  });
  return actions.map((action) => {
    const { from, to, given = [], received = [], pools = [], ...rest } = partsOf(action);
    return {
      type: action.type,
      from: from ? presentAddress(from, addresses) : null,
      to: to ? presentAddress(to, addresses) : null,
      given: given.map(asset),
      received: received.map(asset),
      pools: pools.map(presentPool),
      is_unlimited: null,
      is_applied: null,
      blobs: null,
      ...rest,
    };
  });
}

interface Parts extends Partial<Pick<Presented, "is_unlimited" | "is_applied" | "blobs">> {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | null | undefined;
  readonly given?: readonly Asset[];
  readonly received?: readonly Asset[];
  readonly pools?: readonly ActionPool[];
}

function partsOf(action: Action): Parts {
  switch (action.type) {
    case "swap":
      return { given: action.given, received: action.received, pools: action.pools };
    case "add_liquidity":
      return { given: action.assets, pools: [action.pool] };
    case "remove_liquidity":
    case "collect":
      return { received: action.assets, pools: [action.pool] };
    case "approve":
      return partsOfApproval(action);
    case "wrap":
      return { from: action.account, given: [coin(action.asset)], received: [action.asset] };
    case "unwrap":
      return { from: action.account, given: [action.asset], received: [coin(action.asset)] };
    case "delegate":
      return { from: action.account, to: action.delegate, is_applied: action.isApplied ?? null };
    case "create_contract":
      return { to: action.contract };
    case "post_blobs":
      return { to: action.to, blobs: action.count };
    default:
      return { from: action.from, to: action.to, given: [action.asset] };
  }
}

const coin = ({ amount }: Asset): Asset => ({ token: null, amount });

function partsOfApproval({ token, owner, spender, of }: ApprovalAction): Parts {
  const amount = "amount" in of ? of.amount : "all" in of && !of.all ? 0n : 1n;
  const asset: Asset = { token, amount, ...("id" in of && { ids: [of.id] }) };
  const isUnlimited = "all" in of ? of.all : "amount" in of && of.amount >= UNLIMITED;
  return { from: owner, to: spender, given: [asset], is_unlimited: isUnlimited };
}

function presentPool({ address, exchange, fee, token0, token1 }: ActionPool): Shape<typeof ActionPoolSchema> {
  return {
    address: checksumAddress(address),
    exchange: exchange ?? null,
    fee,
    token0: presentToken(token0),
    token1: presentToken(token1),
  };
}

export function presentBatch({ actions: { call }, addresses }: Described): Shape<typeof BatchPartSchema>[] {
  return call.parts.map(({ to, method, value }) => ({
    to: presentAddress(to, addresses),
    method: presentMethod(method),
    value: String(value),
  }));
}
