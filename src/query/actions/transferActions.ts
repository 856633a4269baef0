import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "../../chain/token/events/event.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { ApprovalAction, TransferAction, WrapAction } from "./action.ts";
import { UNLIMITED } from "./action.ts";
import type { MovedToken } from "./tokenFlows.ts";

/** Transfers between the same accounts are one, with the sum or the ids. */
export function transferActions(transfers: readonly MovedToken[]): TransferAction[] {
  const isEmpty = ({ amount }: MovedToken) => amount === 0n;
  const counted = transfers.every(isEmpty) ? transfers : transfers.filter((moved) => !isEmpty(moved));
  return groupTransfers(counted).map((moves): TransferAction => {
    const { token, from, to, kind } = moves[0]!;
    const amount = moves.reduce((sum, moved) => sum + moved.amount, 0n);
    const ids = kind === "ERC-20" ? undefined : [...new Set(moves.flatMap(({ id }) => id ?? []))];
    return { type: typeOf(from, to), asset: { token, amount, ...(ids && { ids }) }, from, to };
  });
}

function groupTransfers(transfers: readonly MovedToken[]): (readonly MovedToken[])[] {
  if (transfers.length <= 1) return transfers.map((moved) => [moved]);
  const groups = Map.groupBy(
    transfers,
    ({ tokenHex, fromHex, toHex: to, kind }) => `${tokenHex} ${fromHex} ${to} ${kind}`,
  );
  return [...groups.values()];
}

export function typeOf(from: Bytes | undefined, to: Bytes | undefined): TransferAction["type"] {
  if (from !== undefined && isZero(from)) return "mint";
  return to !== undefined && isZero(to) ? "burn" : "transfer";
}

export function wrapAction({ token, from, to, amount }: MovedToken): WrapAction {
  const isDeposit = isZero(from);
  return { type: isDeposit ? "wrap" : "unwrap", asset: { token, amount }, account: isDeposit ? to : from };
}

const APPROVAL = logEvent("Approval(address,address,uint256)", 3);
const ITEM_APPROVAL = logEvent("Approval(address,address,uint256)", 4);
const APPROVAL_FOR_ALL = logEvent("ApprovalForAll(address,address,bool)", 3);

/** The last of each owner, spender and token. Allowances that a transfer used up are left out. */
export function approvalActions(
  logs: readonly Log[],
  transfers: readonly MovedToken[],
  tokenAt: (address: Bytes) => KnownToken | undefined,
): ApprovalAction[] {
  const approvals = new Map<string, ApprovalAction>();
  for (const log of logs) {
    const of = approvedBy(log);
    const token = of && tokenAt(log.address);
    if (of === undefined || token === undefined) continue;
    const [owner, spender] = [addressTopic(log, 1), addressTopic(log, 2)];
    const isUsed = transfers.some((moved) => moved.token === token && equalBytes(moved.from, owner));
    // Tokens log what is left of an allowance, and clear the approval of an item, when it is transferred.
    if (isUsed && !("all" in of) && !("amount" in of && of.amount >= UNLIMITED)) continue;
    const what = "id" in of ? String(of.id) : Object.keys(of)[0]!;
    const key = [toHex(token.address), toHex(owner), "id" in of ? "" : toHex(spender), what].join();
    approvals.delete(key);
    approvals.set(key, { type: "approve", token, owner, spender, of });
  }
  return [...approvals.values()];
}

function approvedBy(log: Log): ApprovalAction["of"] | undefined {
  const { topics, data } = log;
  if (topics.length < 96 || !areAddresses(log, 1, 2)) return undefined;
  if (isLogOf(APPROVAL, log)) return data.length === 32 ? { amount: uintToBigInt(data) } : undefined;
  if (isLogOf(ITEM_APPROVAL, log)) {
    return data.length === 0 ? { id: uintToBigInt(topics.subarray(96, 128)) } : undefined;
  }
  if (!isLogOf(APPROVAL_FOR_ALL, log) || data.length !== 32) return undefined;
  return { all: uintToBigInt(data) !== 0n };
}

/** Owner and spender; empty if it is no approval. */
export const partiesOfApproval = (log: Log): Bytes[] =>
  approvedBy(log) === undefined ? [] : [addressTopic(log, 1), addressTopic(log, 2)];
