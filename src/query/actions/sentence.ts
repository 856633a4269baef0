import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Action, CallSummary, TransactionActions } from "./action.ts";
import { describeAction } from "./describeAction.ts";
import type { Part, Sentence } from "./sentenceParts.ts";
import { coins, enumerate, say } from "./sentenceParts.ts";

/** Who looks at it is the sender, or on the page of an account that account. */
export function describeActions(what: TransactionActions, viewer: Bytes = what.call.from): Sentence {
  const { call, actions, failure, isPending } = what;
  if (failure !== undefined) return alone(tried("Failed to", call), reasonOf(failure.reason));
  if (isPending) return alone(tried("Pending: will", call), partsOf(call));
  const [first, ...others] = actions;
  if (first === undefined) return alone(called(call), partsOf(call));
  const { headline, detail } = describeAction(first, call.from, viewer);
  const paid = mentionsPayment(actions) || call.value === 0n ? [] : say`paying ${coins(call.value)}`;
  const where = detail.length > 0 && paid.length > 0 ? [...detail, ", ", ...paid] : [...detail, ...paid];
  return { headline, detail: where, also: alsoOf(others, call, viewer) };
}

/** Those that the sentence describes: the first, and another if there is only one. */
export const describedActions = (actions: readonly Action[]): readonly Action[] =>
  actions.length > 2 ? actions.slice(0, 1) : actions;

const alone = (headline: readonly Part[], detail: readonly Part[]): Sentence => ({ headline, detail, also: [] });

function alsoOf([second, ...more]: readonly Action[], { from }: CallSummary, viewer: Bytes): Part[] {
  if (second === undefined) return [];
  if (more.length > 0) return [`and ${more.length + 1} more actions`];
  return ["and ", ...lowerFirst(describeAction(second, from, viewer).headline)];
}

function called({ to, method, value }: CallSummary): Part[] {
  if (to === null) return ["Created a contract"];
  if (method === undefined) return say`Sent ${coins(value)} to ${{ address: to }}`;
  const paid = value > 0n ? say` with ${coins(value)}` : [];
  return say`Called ${{ method }} on ${{ address: to }}${paid}`;
}

function tried(how: string, { to, method, value }: CallSummary): Part[] {
  if (to === null) return [`${how} create a contract`];
  if (method === undefined) return [`${how} send `, coins(value), " to ", { address: to }];
  return [`${how} call `, { method }, " on ", { address: to }];
}

const reasonOf = (reason: string | undefined): Part[] => (reason === undefined ? [] : [{ text: reason }]);

const MAX_NAMED = 4;

/** Names of the calls in a batch. */
function partsOf({ parts }: CallSummary): Part[] {
  if (parts.length === 0) return [];
  const named = parts.slice(0, MAX_NAMED).map(({ method }): Part => (method === undefined ? "payment" : { method }));
  const more = parts.length - named.length;
  return say`in ${String(parts.length)} ${parts.length === 1 ? "call" : "calls"}: ${enumerate(more > 0 ? [...named, `${more} more`] : named)}`;
}

/** Whether an action tells what became of the coins that were sent along. */
function mentionsPayment(actions: readonly Action[]): boolean {
  return actions.some(
    (action) =>
      action.type === "wrap" ||
      action.type === "send" ||
      action.type === "add_liquidity" ||
      (action.type === "swap" && action.given.some(({ token }) => token === null)),
  );
}

function lowerFirst([first, ...rest]: readonly Part[]): Part[] {
  return typeof first === "string" ? [first.charAt(0).toLowerCase() + first.slice(1), ...rest] : [first!, ...rest];
}
