import { isAddress } from "../../../chain/encoding/parse.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { coins, count, safeText } from "./format.ts";
import { shorten } from "./links.ts";

interface Call {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly selector: string;
  readonly gasUsed: number | undefined;
  readonly error: string | undefined;
  readonly depth: number;
}

/** Calls in preorder, nested by depth. */
export function callTree(traces: readonly Wire[], coin: string): Html {
  if (traces.length === 0) return html`<p class="none">There is no trace.</p>`;
  const calls = traces.map(readCall);
  let [text, depth] = [html``, -1];
  for (const call of calls) {
    text = html`${text}${step(depth, call.depth)}${renderCall(call, coin)}`;
    depth = call.depth;
  }
  return html`<div class="calls">${text}${Array.from({ length: depth + 1 }, () => CLOSE)}</div>`;
}

const OPEN = html`<ul>`;
const CLOSE = html`</li></ul>`;

/** A page may start at any depth. */
function step(before: number, now: number): Html {
  if (now > before) return html`${Array.from({ length: now - before - 1 }, () => html`${OPEN}<li>`)}${OPEN}`;
  return html`</li>${Array.from({ length: before - now }, () => html`</ul></li>`)}`;
}

function renderCall({ kind, from, to, value, selector, gasUsed, error }: Call, coin: string): Html {
  return html`<li><span class="call"><span class="method">${kind}</span> ${link(from)} → ${link(to)}${selector && html` <code>${selector}</code>`}${value > 0n && html` ${coins(value, coin)}`}${gasUsed !== undefined && html` <span class="quiet">${count(gasUsed)} gas</span>`}${error && html` <span class="status failed">${safeText(error)}</span>`}</span>`;
}

function link(address: string): Html {
  if (!isAddress(address)) return html`<span class="quiet">nobody</span>`;
  return html`<a class="address" href="/address/${address}" title="${address}"><code>${shorten(address)}</code></a>`;
}

/** Node data is untrusted: missing fields are empty. */
function readCall(wire: Wire): Call {
  const [action, result] = [asObject(wire.action), asObject(wire.result)];
  const input = asText(action.input ?? action.init);
  return {
    kind: safeText(asText(action.callType) || asText(wire.type), 20),
    from: asText(action.from ?? action.address),
    to: asText(action.to ?? result.address ?? action.refundAddress),
    value: asQuantity(action.value ?? action.balance) ?? 0n,
    selector: action.input !== undefined && input.length >= 10 ? input.slice(0, 10) : "",
    gasUsed: Number(asQuantity(result.gasUsed) ?? 0n),
    error: asText(wire.error) || undefined,
    depth: Array.isArray(wire.traceAddress) ? Math.min(wire.traceAddress.length, MAX_DEPTH) : 0,
  };
}

/** EVM calls nest up to 1,024 levels; browsers do not. */
const MAX_DEPTH = 100;

function asObject(value: unknown): Wire {
  return typeof value === "object" && value !== null ? (value as Wire) : {};
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function asQuantity(value: unknown): bigint | undefined {
  return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}
