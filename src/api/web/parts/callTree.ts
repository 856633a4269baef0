import type { AbiType } from "../../../chain/abi/type.ts";
import type { AbiValue } from "../../../chain/abi/value.ts";
import { textOf } from "../../../chain/abi/value.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { CallTree, NamedValues, TreeCall } from "../../../query/traces/callTree.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import { coins, count, percent, safeText } from "./format.ts";
import type { Hint, NamedValue } from "./inputHints.ts";
import type { Names } from "./links.ts";
import { addressLink, shorten } from "./links.ts";

interface TreeContext extends Pick<CallTree, "addresses" | "gasUsed"> {
  readonly coin: string;
  readonly names: Names;
  /** Addresses in values have infos under the bytes they were read with. */
  readonly known: ReadonlyMap<Hex, Bytes>;
  /** Why the transaction failed. */
  readonly reason: Content;
  /** Hints for values, by the called contract. */
  readonly hintOf: (contract: Bytes) => Hint;
}

/** Calls deeper than this are folded. */
const FOLDED_DEPTH = 3;

/** Calls as a tree: who was called, with what, what came back, and the share of gas. */
export function callTree(
  { roots, addresses, gasUsed }: CallTree,
  context: Pick<TreeContext, "coin" | "names" | "reason" | "hintOf">,
): Html {
  if (roots.length === 0) return html`<p class="none">There is no trace.</p>`;
  const known = new Map([...addresses.keys()].map((address) => [toHex(address), address]));
  return html`<div class="calls">${renderCalls(roots, { ...context, addresses, gasUsed, known })}</div>`;
}

function renderCalls(calls: readonly TreeCall[], context: TreeContext): Html {
  return html`<ul>${calls.map((call) => html`<li>${renderCall(call, context)}</li>`)}</ul>`;
}

/** The line is beside the summary, not in it: a control must not contain links. */
function renderCall(call: TreeCall, context: TreeContext): Html {
  const line = html`<div class="call">${renderLine(call, context)}</div>`;
  if (call.calls.length === 0) return line;
  const isOpen = call.depth < FOLDED_DEPTH && html` open`;
  const label = call.calls.length === 1 ? "1 call" : `${count(call.calls.length)} calls`;
  return html`${line}<details${isOpen}><summary aria-label="${label}"></summary>${renderCalls(call.calls, context)}</details>`;
}

function renderLine(call: TreeCall, context: TreeContext): Html {
  const { kind, to, error, isOrigin, gasUsed, outputs, method } = call;
  const shown = { ...context, hint: to === undefined ? NO_HINT : context.hintOf(to) };
  const share = percent(gasUsed, Math.max(context.gasUsed, 1));
  const callee =
    to === undefined ? html`<span class="quiet">nobody</span>` : addressLink(to, context.addresses, context.names);
  return html`<span class="what"><span class="method">${safeText(kind, 20)}</span> ${callee}${renderMethod(call, shown)}${outputs && outputs.values.length > 0 && html` <span class="result">→ ${valueList(outputs, shown, OWN_RESULTS.has(method ?? ""))}</span>`}${error && html` <span class="status failed">${isOrigin ? html`reverted here: ${safeText(error, 200)}${context.reason && html` ${context.reason}`}` : "reverted"}</span>`}</span>
<span class="gas" title="${count(gasUsed)} gas">${gasUsed > 0 && html`<meter min="0" max="100" value="${share.replace(/^<|%$/g, "")}" aria-label="${share} of the gas"></meter>`}<span class="quiet">${count(gasUsed)}</span></span>`;
}

const NO_HINT: Hint = () => undefined;

/** Functions of tokens whose result, without a name, is an amount of the token. */
const OWN_RESULTS: ReadonlySet<string> = new Set(["balanceOf", "totalSupply", "allowance"]);

interface CallContext extends TreeContext {
  readonly hint: Hint;
}

function renderMethod({ method, inputs, input, value }: TreeCall, context: CallContext): Html | undefined {
  const amount = value > 0n && coins(value, context.coin);
  const selector = input.length >= 4 && toHex(input.subarray(0, 4));
  if (method === undefined && !selector) return amount ? html` <span class="arguments">${amount}</span>` : undefined;
  const name = method === undefined ? html`<code>${selector}</code>` : html`<b><bdi>${safeText(method, 60)}</bdi></b>`;
  const list = inputs && inputs.values.length > 0 && valueList(inputs, context);
  const bytes =
    inputs === undefined && input.length > 4 && html`<span class="quiet">${count(input.length - 4)} bytes</span>`;
  return html`.${name}(<span class="arguments">${amount}${amount && (list || bytes) && " · "}${list}${bytes}</span>)`;
}

const MAX_VALUES = 12;

function valueList({ parameters, values }: NamedValues, context: CallContext, isOwnAmount = false): Html {
  const all = parameters.map(({ name, type }, at) => ({
    name: name === "" && isOwnAmount ? "amount" : name,
    type,
    value: values[at]!,
  }));
  const shown = all.slice(0, MAX_VALUES).map((value, at) => {
    const { name = "" } = parameters[at]!;
    return html`${at > 0 && ", "}${name !== "" && html`<span class="quiet"><bdi>${safeText(name, 40)}</bdi></span> `}${renderShort(value, all, context)}`;
  });
  return html`${shown}${values.length > MAX_VALUES && html`, … ${values.length - MAX_VALUES} more`}`;
}

const MAX_ITEMS = 6;
const MAX_TEXT_LENGTH = 60;

interface ShortValue extends NamedValue {
  readonly value: AbiValue;
}

/** On one line; the raw trace has all. */
function renderShort(named: ShortValue, siblings: readonly ShortValue[], context: CallContext): Html {
  const { type, value } = named;
  if (value instanceof Uint8Array) return renderBytes(type, value, context);
  if (typeof value !== "object")
    return (
      context.hint(named, siblings) ??
      html`<data value="${value.toString()}" title="${value.toString()}">${shorten(value.toString(), 18, 6)}</data>`
    );
  const all = value.slice(0, MAX_ITEMS).flatMap((item, at): ShortValue[] => {
    if (type.kind === "array") return [{ name: named.name, type: type.item, value: item }];
    return type.kind === "tuple" ? [{ name: type.names?.[at] ?? "", type: type.items[at]!, value: item }] : [];
  });
  const items = all.map((item, at) => {
    const label =
      type.kind === "tuple" &&
      item.name !== "" &&
      html`<span class="quiet"><bdi>${safeText(item.name, 40)}</bdi></span> `;
    return html`${at > 0 && ", "}${label}${renderShort(item, all, context)}`;
  });
  return html`[${items}${value.length > MAX_ITEMS && html`, … ${value.length - MAX_ITEMS} more`}]`;
}

function renderBytes(type: AbiType, value: Bytes, { addresses, names, known }: TreeContext): Html {
  if (type.kind === "address") return addressLink(known.get(toHex(value)) ?? value, addresses, names);
  const text = type.kind === "string" ? textOf(value) : undefined;
  if (text !== undefined) return html`<q><bdi>${safeText(text, MAX_TEXT_LENGTH)}</bdi></q>`;
  return html`<code>${shorten(toHex(value.subarray(0, 64)), 14, 6)}</code>`;
}
