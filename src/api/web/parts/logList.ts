import { toHex } from "../../../chain/encoding/hex.ts";
import type { DecodedLog } from "../../../query/transactions/logs.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { bytesView } from "./bytesView.ts";
import { decodedTable } from "./decoded.ts";
import { safeText } from "./format.ts";
import { addressLink, blockLink, transactionLink } from "./links.ts";

/** `isOfAddress` adds links to the transactions. */
export function logList(logs: readonly DecodedLog[], addresses: AddressInfos, isOfAddress = false): Html {
  if (logs.length === 0) return html`<p class="none">There are no logs.</p>`;
  return html`<ol class="logs">${logs.map((log) => renderLog(log, addresses, isOfAddress))}</ol>`;
}

function renderLog({ log, decoded }: DecodedLog, addresses: AddressInfos, isOfAddress: boolean): Html {
  const where =
    isOfAddress && html` in ${transactionLink(log.transactionHash)} of block ${blockLink(log.header.number)}`;
  return html`<li class="panel"><header><h2><span class="quiet">#${log.logIndex}</span> <bdi>${safeText(decoded?.signature.name ?? "Log")}</bdi></h2><span>${addressLink(log.address, addresses)}${where}</span></header>
${decoded && decodedTable(decoded)}
<details${decoded === undefined && OPEN}><summary>Topics</summary><ol class="values" start="0">${topicsOf(log.topics).map((topic) => html`<li><code>${topic}</code></li>`)}</ol></details>
${log.data === null ? html`<p class="quiet">The data is too long to show here.</p>` : log.data.length > 0 && bytesView(log.data)}</li>`;
}

const OPEN = html` open`;

function topicsOf(topics: Uint8Array): string[] {
  return Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(at * 32, at * 32 + 32)));
}
