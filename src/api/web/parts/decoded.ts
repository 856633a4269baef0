import type { EventValue } from "../../../chain/abi/event.ts";
import { HashedValue } from "../../../chain/abi/event.ts";
import type { Decoded } from "../../../chain/abi/resolve.ts";
import type { RevertReason } from "../../../chain/abi/revert.ts";
import type { Parameter } from "../../../chain/abi/signature.ts";
import { fullText } from "../../../chain/abi/signature.ts";
import type { AbiType } from "../../../chain/abi/type.ts";
import { textOf } from "../../../chain/abi/value.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { safeText } from "./format.ts";
import type { Hint, NamedValue } from "./inputHints.ts";

/** Longer values are truncated; the JSON has all of them. */
const MAX_VALUE_LENGTH = 2000;
const MAX_ITEMS = 100;

export function decodedTable({ signature, values, isGuess }: Decoded, hint?: Hint): Html {
  const note =
    isGuess && html`<p class="quiet">Guessed from the bytecode: types may be wrong and names are not known.</p>`;
  const { inputs } = signature;
  return html`<p class="signature"><code>${safeText(fullText(signature), 500)}</code></p>${note}
${inputs.length > 0 && parameterTable(inputs, values, hint)}`;
}

/** Parameters or return values. */
export function parameterTable(
  parameters: readonly Parameter[],
  values: readonly EventValue[],
  hint: Hint = NO_HINT,
): Html {
  const siblings = parameters.map(({ name, type }, at) => ({ name, type, value: values[at]! }));
  const rows = parameters.map(
    ({ name, type, indexed }, at) =>
      html`<tr><td class="place">${at}</td><td class="name"><bdi>${safeText(name)}</bdi>${indexed && html` <span class="tag">indexed</span>`}</td><td class="type"><code>${safeText(type.text, 100)}</code></td><td class="value">${hinted(siblings[at]!, siblings, hint)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table class="parameters"><thead><tr><th scope="col">#</th><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const NO_HINT: Hint = () => undefined;

/** The hint of a value, then the value itself. */
function hinted(value: NamedValue, siblings: readonly NamedValue[], hint: Hint): Html {
  const meaning = hint(value, siblings);
  // The bytes of a call that is told are in the whole input below.
  if (meaning !== undefined && value.type.kind === "bytes") return meaning;
  const exact = renderValue(value.type, value.value, hint);
  return meaning === undefined ? exact : html`${meaning} <span class="exact">${exact}</span>`;
}

export function renderValue(type: AbiType, value: EventValue, hint: Hint = NO_HINT): Html {
  if (value instanceof HashedValue) return html`<code>${toHex(value.hash)}</code> <span class="tag">hash</span>`;
  if (value instanceof Uint8Array) return renderBytes(type, value);
  if (typeof value !== "object") return html`<code>${value.toString()}</code>`;
  const names = (type.kind === "tuple" && type.names) || [];
  const all = value.map((item, at) => ({ name: names[at] ?? "", type: itemType(type, at), value: item }));
  const items = all.slice(0, MAX_ITEMS).map((item) => {
    const label = item.name !== "" && html`<span class="field-name"><bdi>${safeText(item.name)}</bdi></span> `;
    return html`<li>${label}${hinted(item, all, hint)}</li>`;
  });
  const more = value.length > MAX_ITEMS && html`<li class="quiet">${value.length - MAX_ITEMS} more</li>`;
  if (names.length > 0) return html`<ul class="fields">${items}${more}</ul>`;
  return html`<ol class="values" start="0">${items}${more}</ol>`;
}

function renderBytes(type: AbiType, value: Uint8Array): Html {
  if (type.kind === "address") {
    const text = checksumAddress(value);
    return html`<a href="/address/${text}"><code>${text}</code></a>`;
  }
  const text = type.kind === "string" ? textOf(value) : undefined;
  if (text !== undefined) return html`<q><bdi>${safeText(text, MAX_VALUE_LENGTH)}</bdi></q>`;
  return html`<code>${safeText(toHex(value.subarray(0, MAX_VALUE_LENGTH)), MAX_VALUE_LENGTH)}</code>`;
}

function itemType(type: AbiType, index: number): AbiType {
  if (type.kind === "array") return type.item;
  return type.kind === "tuple" ? type.items[index]! : type;
}

/** One line. */
export function reasonText(reason: RevertReason): string {
  if (reason === null) return "no reason given";
  if ("raw" in reason) return `reverted with ${toHex(reason.raw.subarray(0, 36))}${reason.raw.length > 36 ? "…" : ""}`;
  return safeText(reason.text ?? fullText(reason.signature), 300);
}
