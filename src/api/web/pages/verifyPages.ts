import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import { ChainError } from "../../../chain/error.ts";
import { spellVersion } from "../../../verify/compilerVersion.ts";
import { LICENSES } from "../../../verify/licenses.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { textOf } from "../parts/callInput.ts";
import { safeLines } from "../parts/format.ts";

export const VERIFY_PAGES: readonly WebRoute[] = [
  { path: "/verify", serve: serveForm },
  { path: "/verify/:guid", serve: serveState },
];

/** Empty fields are absent. */
export type Fields = ReadonlyMap<string, string>;

async function serveForm({ verifier }: WebContext, { query }: WebRequest): Promise<WebPage> {
  if (verifier === undefined) throw new ChainError("unsupported", "this network verifies no contracts");
  return formPage(verifier, new Map([["address", textOf(query, "address")]]));
}

/** Shows the error of a rejected submission. */
export function formPage(verifier: NonNullable<WebContext["verifier"]>, fields: Fields, error?: string): WebPage {
  const given = (name: string) => fields.get(name) ?? "";
  const versions = verifier.compilers().map((version) => `v${spellVersion(version)}`);
  const isSingle = given("format") === "single-file";
  const body = html`<h1>Verify a contract</h1>
<p>The source is compiled here and compared with the code on the chain. Tools such as forge and hardhat <a href="/developers#foundry">can send it as well</a>.</p>
${error !== undefined && html`<div class="notice bad" role="alert"><p>${error}</p></div>`}
<form class="panel form" action="/verify" method="post" enctype="multipart/form-data">
${field("address", "Contract address", html`<input id="address" name="address" required maxlength="42" value="${given("address")}" placeholder="0x…" spellcheck="false" autocomplete="off">`)}
${field("contract_name", "Contract name", html`<input id="contract_name" name="contract_name" required maxlength="400" value="${given("contract_name")}" placeholder="Counter or src/Counter.sol:Counter" spellcheck="false" autocomplete="off">`)}
${field("compiler_version", "Compiler", html`<input id="compiler_version" name="compiler_version" required maxlength="60" list="compilers" value="${given("compiler_version") || (versions[0] ?? "")}" spellcheck="false" autocomplete="off"><datalist id="compilers">${versions.map((version) => html`<option value="${version}"></option>`)}</datalist>`)}
${field("license", "License", html`<select id="license" name="license">${LICENSES.map(({ spdx }) => html`<option value="${spdx}"${spdx === given("license") && SELECTED}>${spdx === "None" ? "not stated" : spdx}</option>`)}</select>`)}
<fieldset><legend>Source</legend>
<label class="choice"><input type="radio" name="format" value="standard-json"${!isSingle && CHECKED}> Standard JSON input of the compiler</label>
<label class="choice"><input type="radio" name="format" value="single-file"${isSingle && CHECKED}> One file of Solidity</label>
${field("file", "File", html`<input id="file" name="file" type="file" accept=".json,.sol">`)}
${field("source", "or its text", html`<textarea id="source" name="source" rows="10" spellcheck="false">${given("source")}</textarea>`)}
</fieldset>
<fieldset><legend>Settings of one file</legend>
${field("runs", "Optimizer runs", html`<input id="runs" name="runs" inputmode="numeric" maxlength="10" value="${given("runs")}" placeholder="empty if it was off">`)}
${field("evm_version", "EVM version", html`<input id="evm_version" name="evm_version" maxlength="30" value="${given("evm_version")}" placeholder="the compiler's default" autocomplete="off">`)}
</fieldset>
<p><button type="submit" class="primary">Verify</button></p>
</form>`;
  return { title: "Verify a contract", body, json: "/api/v2/smart-contracts/verification/config" };
}

const SELECTED = html` selected`;
const CHECKED = html` checked`;

function field(id: string, label: Content, input: Content): Html {
  return html`<div class="field"><label for="${id}">${label}</label><div>${input}</div></div>`;
}

/** Status of a submission; a script polls while it is pending. */
async function serveState({ verifier }: WebContext, { parameter }: WebRequest): Promise<WebPage> {
  const result = expectFound(/^[\da-f]{56}$/.test(parameter) ? await verifier?.result(parameter) : undefined);
  const address = checksumAddress(fromHex(`0x${parameter.slice(0, 40)}`));
  const contract = html`<a href="/address/${address}?tab=contract"><code class="whole">${address}</code></a>`;
  const again = html`<p><a href="/verify?address=${address}">Try another source</a></p>`;
  const states = {
    pending: html`<div class="notice" role="status" data-pending><p>The source of ${contract} is being compiled.</p><p class="noscript"><a href="/verify/${parameter}">Look again</a></p></div>`,
    verified: html`<div class="notice good" role="status"><p><strong>Verified.</strong> The source of ${contract} is shown with it.</p></div>`,
    failed: html`<div class="notice bad" role="status"><p><strong>Not verified.</strong> ${contract}</p><pre tabindex="0"><bdi>${safeLines(result.reason.slice(0, 20_000))}</bdi></pre></div>${again}`,
  } as const;
  return { title: "Verification", body: html`<h1>Verification</h1>${states[result.state]}` };
}
