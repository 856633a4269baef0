import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { formatAmount } from "../../exchange/decimal.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";

export interface MovedToken {
  readonly token: KnownToken;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly amount: bigint;
  /** Undefined for ERC-20. */
  readonly tokenId: bigint | undefined;
  /** ERC-721. */
  readonly isUnique: boolean;
}

/** Of an amount, an item, or all items. */
export interface Approval {
  readonly token: KnownToken;
  readonly spender: Bytes;
  readonly of: { readonly amount: bigint } | { readonly tokenId: bigint } | { readonly all: boolean };
}

export interface TransactionFacts {
  readonly from: Bytes;
  readonly to: Bytes | null;
  readonly value: bigint;
  readonly created: Bytes | undefined;
  readonly hasFailed: boolean;
  /** Name or selector; undefined for plain transfers. */
  readonly method: string | undefined;
  readonly blobs: number;
  /** In order; undefined if there are too many or tokens are not indexed. */
  readonly transfers: readonly MovedToken[] | undefined;
  readonly approvals: readonly Approval[];
  readonly hasSwap: boolean;
}

export type ActionVariable =
  | { readonly type: "currency" | "string" | "method"; readonly value: string }
  | { readonly type: "token"; readonly value: KnownToken }
  | { readonly type: "address"; readonly value: Bytes };

/** One-sentence template with variables in braces. `{native}` is the coin's symbol rather than a variable. */
export interface TransactionAction {
  readonly template: string;
  readonly variables: Readonly<Record<string, ActionVariable>>;
}

/** First match of: failure, creation, transfer, approval, payment, call. */
export function composeAction(facts: TransactionFacts): TransactionAction {
  const { transfers = [], approvals } = facts;
  if (facts.hasFailed) return composeFailure(facts);
  if (facts.created !== undefined) return sentence("Created the contract {contract}", { contract: of(facts.created) });
  const swap = facts.hasSwap ? composeSwap(facts, transfers) : undefined;
  if (swap !== undefined) return swap;
  const [transfer, ...others] = transfers;
  if (transfer !== undefined && others.length === 0) return composeTransfer(facts, transfer);
  const [approval, ...more] = approvals;
  if (approval !== undefined && more.length === 0 && transfers.length === 0) return composeApproval(approval);
  if (transfers.length > 1) return composeCall(facts, " with {count} token transfers", transfers.length);
  if (facts.blobs > 0 && facts.method === undefined) return composeBlobs(facts);
  return facts.method === undefined ? composePayment(facts) : composeCall(facts);
}

type Variables = TransactionAction["variables"];

const sentence = (template: string, variables: Variables): TransactionAction => ({ template, variables });
const of = (address: Bytes): ActionVariable => ({ type: "address", value: address });
const text = (value: string): ActionVariable => ({ type: "string", value });

const COIN_DECIMALS = 18;

function amountOf(amount: bigint, decimals: number): ActionVariable {
  return { type: "currency", value: formatAmount(amount, decimals) };
}

const coins = (wei: bigint): ActionVariable => amountOf(wei, COIN_DECIMALS);

function composeFailure({ to, value, method }: TransactionFacts): TransactionAction {
  if (to === null) return sentence("Failed to create a contract", {});
  if (method === undefined) {
    return sentence("Failed to send {amount} {native} to {to}", { amount: coins(value), to: of(to) });
  }
  return sentence("Failed to call {method} on {contract}", {
    method: { type: "method", value: method },
    contract: of(to),
  });
}

function composePayment({ to, value }: TransactionFacts): TransactionAction {
  if (to === null) return sentence("Created a contract", {});
  return sentence("Sent {amount} {native} to {to}", { amount: coins(value), to: of(to) });
}

function composeBlobs({ to, blobs }: TransactionFacts): TransactionAction {
  const count = text(String(blobs));
  const things = blobs === 1 ? "{count} blob" : "{count} blobs";
  return to === null
    ? sentence(`Sent ${things}`, { count })
    : sentence(`Sent ${things} to {to}`, { count, to: of(to) });
}

function composeCall({ to, value, method }: TransactionFacts, rest = "", count = 0): TransactionAction {
  const paid = value > 0n ? " with {amount} {native}" : "";
  const also = paid === "" ? rest : rest.replace("with", "and");
  return sentence(`Called {method} on {contract}${paid}${also}`, {
    method: { type: "method", value: method ?? "0x" },
    ...(to !== null && { contract: of(to) }),
    ...(value > 0n && { amount: coins(value) }),
    ...(rest !== "" && { count: text(String(count)) }),
  });
}

/** Net change of the sender by token; items are counted. */
function netOf({ from, value }: TransactionFacts, transfers: readonly MovedToken[]) {
  const nets = new Map<string, { token: KnownToken | undefined; net: bigint }>();
  if (value > 0n) nets.set("native", { token: undefined, net: -value });
  for (const { token, amount, from: sender, to } of transfers) {
    const key = toHex(token.address);
    const known = nets.get(key) ?? { token, net: 0n };
    if (equalBytes(sender, from)) known.net -= amount;
    if (equalBytes(to, from)) known.net += amount;
    nets.set(key, known);
  }
  const all = [...nets.values()];
  return { given: all.filter(({ net }) => net < 0n), got: all.filter(({ net }) => net > 0n) };
}

/** One asset given for another. Coins paid out by contracts are in no transfer. */
function composeSwap(facts: TransactionFacts, transfers: readonly MovedToken[]): TransactionAction | undefined {
  const { given, got } = netOf(facts, transfers);
  const [out, into] = [given[0], got[0]];
  if (given.length !== 1 || got.length > 1 || out === undefined) return undefined;
  const size = (net: bigint, token: KnownToken | undefined) => amountOf(net < 0n ? -net : net, decimalsOf(token));
  const [sold, bought] = [out.token, into?.token];
  const variables: Variables = {
    sold_amount: size(out.net, sold),
    ...(sold !== undefined && { sold: { type: "token", value: sold } as const }),
    ...(into !== undefined && { bought_amount: size(into.net, bought) }),
    ...(bought !== undefined && { bought: { type: "token", value: bought } as const }),
  };
  const what = `Swapped {sold_amount} ${sold === undefined ? "{native}" : "{sold}"}`;
  return sentence(into === undefined ? what : `${what} for {bought_amount} {bought}`, variables);
}

const decimalsOf = (token: KnownToken | undefined): number =>
  token === undefined ? COIN_DECIMALS : (token.seen?.decimals ?? 0);

function composeTransfer({ from: sender }: TransactionFacts, moved: MovedToken): TransactionAction {
  const { token, from, to, amount, tokenId, isUnique } = moved;
  const variables: Record<string, ActionVariable> = { token: { type: "token", value: token } };
  if (!isUnique) variables.amount = amountOf(amount, decimalsOf(token));
  if (tokenId !== undefined) variables.token_id = text(String(tokenId));
  const thing = `${isUnique ? "" : "{amount} "}{token}${tokenId === undefined ? "" : " #{token_id}"}`;
  if (isZero(to)) return sentence(`Burnt ${thing}`, variables);
  variables.to = of(to);
  if (isZero(from)) return sentence(`Minted ${thing} to {to}`, variables);
  if (equalBytes(from, sender)) return sentence(`Transferred ${thing} to {to}`, variables);
  return sentence(`Transferred ${thing} from {from} to {to}`, { ...variables, from: of(from) });
}

/** Larger allowances count as unlimited. */
const UNLIMITED = 2n ** 255n;

function composeApproval({ token, spender, of: what }: Approval): TransactionAction {
  const variables: Variables = { token: { type: "token", value: token }, spender: of(spender) };
  if ("all" in what) {
    return sentence(what.all ? "Approved {spender} for all {token}" : "Revoked {spender} for all {token}", variables);
  }
  if ("tokenId" in what) {
    const id = { token_id: text(String(what.tokenId)) };
    if (isZero(spender))
      return sentence("Revoked the approval of {token} #{token_id}", { token: variables.token!, ...id });
    return sentence("Approved {spender} for {token} #{token_id}", { ...variables, ...id });
  }
  if (what.amount === 0n) return sentence("Revoked the approval of {token} for {spender}", variables);
  if (what.amount >= UNLIMITED) return sentence("Approved {spender} to spend any amount of {token}", variables);
  const amount = amountOf(what.amount, decimalsOf(token));
  return sentence("Approved {spender} to spend {amount} {token}", { ...variables, amount });
}
