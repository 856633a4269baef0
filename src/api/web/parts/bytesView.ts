import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { figure, safeText } from "./format.ts";
import { copyButton } from "./links.ts";

const MAX_SHOWN = 8192;

/** Hex and, collapsed, text. Truncated data links to the JSON. */
export function bytesView(data: Bytes, json?: string): Html {
  const shown = data.subarray(0, MAX_SHOWN);
  const hex = toHex(shown);
  const rest =
    data.length > MAX_SHOWN &&
    html`<p class="quiet">The first ${figure(MAX_SHOWN)} of ${figure(data.length)} bytes${json !== undefined && html`; <a href="${json}">the JSON</a> has all`}.</p>`;
  const text = new TextDecoder().decode(shown);
  return html`<details class="bytes"><summary>Raw <span class="quiet">${figure(data.length)} bytes</span></summary>
<pre tabindex="0">${hex}</pre>${copyButton(hex)}${rest}
<details><summary>As text (UTF-8)</summary><pre tabindex="0"><bdi>${safeText(text, MAX_SHOWN)}</bdi></pre></details></details>`;
}
