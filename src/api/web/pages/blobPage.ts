import { toHex } from "../../../chain/encoding/hex.ts";
import { findBlob } from "../../../query/transactions/blobs.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseHash } from "../params.ts";
import { figure, safeText } from "../parts/format.ts";
import { imageType } from "../parts/imageType.ts";
import { transactionLink, wholeHash } from "../parts/links.ts";
import { facts, section } from "../parts/table.ts";

export const BLOB_PAGES: readonly WebRoute[] = [{ path: "/blob/:hash", serve: serveBlob }];

const SHOWN = 4096;

async function serveBlob({ network }: WebContext, { parameter }: WebRequest): Promise<WebPage> {
  const name = parseHash(parameter);
  const { blob, transactionHashes } = expectFound(await findBlob(network, name));
  const path = `/blob/${toHex(name)}`;
  const data = blob && withoutPadding(blob.data);
  const about = facts([
    ["Versioned hash", wholeHash(name)],
    blob && ["Commitment", wholeHash(blob.commitment)],
    blob?.proof ? ["Proof", wholeHash(blob.proof)] : undefined,
    blob && data && ["Size", html`${figure(blob.data.length)} bytes, ${figure(data.length)} before the last zeros`],
    [
      "Transactions",
      html`<ul class="plain">${transactionHashes.map((hash) => html`<li>${transactionLink(hash)}</li>`)}</ul>`,
    ],
  ]);
  const shown =
    data === undefined
      ? html`<p class="none">Neither this server nor the node has the data of this blob any more.</p>`
      : html`<p><a href="${path}/data" download>Download</a></p>
${imageType(data) && section("Image", html`<img class="blob" src="${path}/image" alt="What the blob shows as a picture">`)}
${section("Text", html`<pre tabindex="0"><bdi>${safeText(new TextDecoder().decode(data.subarray(0, SHOWN)), SHOWN)}</bdi></pre>`)}
${section("Hex", html`<pre tabindex="0">${toHex(data.subarray(0, SHOWN))}</pre>`)}`;
  return {
    title: `Blob ${toHex(name).slice(0, 12)}…`,
    body: html`<h1>Blob</h1>${about}${shown}`,
    json: `/api/v2/blobs/${toHex(name)}`,
  };
}

function withoutPadding(data: Uint8Array): Uint8Array {
  let end = data.length;
  while (end > 0 && data[end - 1] === 0) end--;
  return data.subarray(0, end);
}
