import { toHex } from "../../../chain/encoding/hex.ts";
import type { DecodedLog, LogPage } from "../../../query/transactions/logs.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext } from "../context.ts";
import { bytesView } from "./bytesView.ts";
import { decodedTable } from "./decoded.ts";
import { safeText } from "./format.ts";
import type { Hint } from "./inputHints.ts";
import { addressLink, blockLink, transactionLink } from "./links.ts";
import { valueHints } from "./valueHints.ts";

interface LogOptions {
  readonly coin: string;
  /** With links to the transactions. */
  readonly isOfAddress?: boolean;
}

export async function logList(
  network: WebContext["network"],
  { logs, addresses }: Pick<LogPage, "logs" | "addresses">,
  { coin, isOfAddress = false }: LogOptions,
): Promise<Html> {
  if (logs.length === 0) return html`<p class="none">There are no logs.</p>`;
  const values = logs.map(({ log: { address }, decoded }) => ({
    contract: address,
    values: decoded ? [{ parameters: decoded.signature.inputs, values: decoded.values }] : [],
  }));
  const hintOf = await valueHints(network, values, { coin });
  return html`<ol class="logs">${logs.map((log) => renderLog(log, addresses, { isOfAddress, hint: hintOf(log.log.address) }))}</ol>`;
}

interface ShownLog {
  readonly isOfAddress: boolean;
  readonly hint: Hint;
}

function renderLog({ log, decoded }: DecodedLog, addresses: AddressInfos, { isOfAddress, hint }: ShownLog): Html {
  const where =
    isOfAddress && html` in ${transactionLink(log.transactionHash)} of block ${blockLink(log.header.number)}`;
  return html`<li class="panel"><header><h2><span class="quiet">#${log.logIndex}</span> <bdi>${safeText(decoded?.signature.name ?? "Log")}</bdi></h2><span>${addressLink(log.address, addresses)}${where}</span></header>
${decoded && decodedTable(decoded, hint)}
<details${decoded === undefined && OPEN}><summary>Topics</summary><ol class="values" start="0">${topicsOf(log.topics).map((topic) => html`<li><code>${topic}</code></li>`)}</ol></details>
${log.data === null ? html`<p class="quiet">The data is too long to show here.</p>` : log.data.length > 0 && bytesView(log.data)}</li>`;
}

const OPEN = html` open`;

function topicsOf(topics: Uint8Array): string[] {
  return Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(at * 32, at * 32 + 32)));
}
