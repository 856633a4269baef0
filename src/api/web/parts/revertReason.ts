import type { RevertReason } from "../../../chain/abi/revert.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { bytesView } from "./bytesView.ts";
import { decodedTable, reasonText } from "./decoded.ts";
import { figure } from "./format.ts";
import { longText } from "./longText.ts";
import { section } from "./table.ts";

const SHORT = 300;
const SHORT_RAW = 36;

/** Longer reasons are truncated; the JSON has all of them. */
const MAX_LENGTH = 20_000;

/** One line with the full length. */
export function reasonLine(reason: RevertReason): Html {
  const text = reasonText(reason);
  if (reason === null || !isCut(reason)) return html`${text}`;
  const size =
    "raw" in reason ? html`${figure(reason.raw.length)} bytes` : html`${figure(reason.text!.length)} characters`;
  return html`${text} <a href="#reason">${size}</a>`;
}

function isCut(reason: NonNullable<RevertReason>): boolean {
  return "raw" in reason ? reason.raw.length > SHORT_RAW : (reason.text?.length ?? 0) > SHORT;
}

/** Long reasons, and the values of custom errors. */
export async function reasonSection(reason: RevertReason, json: string): Promise<Html | undefined> {
  if (reason === null) return undefined;
  const isOwn = !("raw" in reason) && reason.text === null;
  if (!isOwn && !isCut(reason)) return undefined;
  const body =
    "raw" in reason ? bytesView(reason.raw, json) : isOwn ? decodedTable(reason) : await textOf(reason.text!, json);
  return html`<div id="reason">${section("Revert reason", body)}</div>`;
}

async function textOf(text: string, json: string): Promise<Html> {
  const rest =
    text.length > MAX_LENGTH &&
    html`<p class="quiet">The first ${figure(MAX_LENGTH)} of ${figure(text.length)} characters; <a href="${json}">the JSON</a> has all.</p>`;
  return html`<pre tabindex="0"><bdi>${await longText(text.slice(0, MAX_LENGTH))}</bdi></pre>${rest}`;
}
