import { decodeParameters } from "../../../chain/abi/decode.ts";
import { readAbi } from "../../../chain/abi/parseAbi.ts";
import { fullText } from "../../../chain/abi/signature.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import type { Account } from "../../../query/accounts/account.ts";
import type { ContractFunctions } from "../../../query/contracts/contractFunctions.ts";
import { readContractFunctions } from "../../../query/contracts/contractFunctions.ts";
import type { ContractDetails, ContractSource } from "../../../query/contracts/verifiedContract.ts";
import { findContractDetails } from "../../../query/contracts/verifiedContract.ts";
import type { VerifiedContract } from "../../../verify/verification.ts";
import type { Content, Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { bytesView } from "../parts/bytesView.ts";
import { parameterTable } from "../parts/decoded.ts";
import { named, safeText, time } from "../parts/format.ts";
import { fullAddress } from "../parts/links.ts";
import { sourceView, textView } from "../parts/sourceView.ts";
import { facts, section, table } from "../parts/table.ts";

/** Verified source, or else what bytecode analysis shows. */
export async function contractTab(
  context: WebContext,
  { address }: Account,
  query: WebRequest["query"],
  path: string,
): Promise<Html> {
  const details = await findContractDetails(context.network, address);
  if (details === undefined) return html`<p class="none">There is no code at this address.</p>`;
  const { source, contract } = details;
  const code = contract.account?.code;
  const body =
    source === undefined
      ? html`${unverified(context, details, path)}${code && recovered(await readContractFunctions(context.network, address, code))}`
      : await verified(source, query, path);
  return html`${body}
${code !== undefined && code.length > 0 && section("Deployed bytecode", bytesView(code))}
${contract.creation?.input && section("Creation bytecode", bytesView(contract.creation.input))}`;
}

function unverified({ site }: WebContext, { failure }: ContractDetails, path: string): Html {
  const link =
    site.hasVerifier &&
    html`<a href="/verify?address=${path.slice(path.lastIndexOf("/") + 1)}">Verify it</a> to show its source here and to read and write it by name.`;
  const reason =
    failure !== undefined &&
    html`<p>The newest source that was sent for it was not verified:</p><pre tabindex="0"><bdi>${safeText(failure, 4000)}</bdi></pre>`;
  return html`<div class="notice"><p><strong>The source of this contract is not verified.</strong> ${link}</p>${reason}</div>`;
}

function recovered(found: ContractFunctions | undefined): Html | undefined {
  if (found === undefined || found.functions.length === 0) return undefined;
  const isGuess = found.origin === "bytecode";
  const rows = found.functions.map(({ selector, signature, mutability }) => [
    html`<code>${selector}</code>`,
    html`<code>${safeText(fullText(signature), 200)}</code>`,
    mutability,
  ]);
  const note = isGuess
    ? "Guessed from the bytecode: types may be wrong, and names are those of well-known functions."
    : "From an ABI that was imported for this code.";
  return section(
    isGuess ? "Functions found in the bytecode" : "Functions",
    html`<p class="quiet">${note}</p>${table(["Selector", "Function", "Mutability"], rows, "")}`,
    isGuess && html`<span class="tag warning">guesses</span>`,
  );
}

async function verified(source: ContractSource, query: WebRequest["query"], path: string): Promise<Html> {
  const { contract, isSimilar } = source;
  return html`${isSimilar && similar(source)}${overview(source)}
${await sourceView(filesOf(contract), query, path)}
${section("ABI", await textView("abi", abiText(contract.abi)))}
${section("Compiler settings", await textView("settings", JSON.stringify(contract.settings, undefined, 2)))}
${!isSimilar && constructorSection(contract)}`;
}

function similar({ address }: ContractSource): Html {
  return html`<div class="notice"><p><strong>This is the source of another contract with the same code,</strong> ${fullAddress(address)}. Nobody verified one for this contract itself.</p></div>`;
}

const MATCHES = {
  perfect: "perfect: this very source was deployed",
  partial: "partial: it compiles to the deployed code, but comments or names may differ",
} as const;

function overview({ contract, match, license, verified: at, isSimilar }: ContractSource): Html {
  const { optimizer, evmVersion } = contract.settings as {
    readonly optimizer?: { readonly enabled?: boolean; readonly runs?: number };
    readonly evmVersion?: string;
  };
  const libraries = Object.entries(contract.libraries);
  return facts([
    ["Contract", html`<strong>${named(contract.name, 200)}</strong>`],
    ["Match", html`<span class="status ${match === "perfect" ? "ok" : "pending"}">${MATCHES[match]}</span>`],
    !isSimilar && ["Verified", time(at)],
    [
      "Compiler",
      html`${contract.language === "Yul" ? "Yul" : "Solidity"} <code>v${safeText(contract.compiler)}</code>`,
    ],
    ["Optimizer", optimizer?.enabled === true ? `on, ${optimizer.runs ?? 200} runs` : "off"],
    ["EVM version", safeText(String(evmVersion ?? "the compiler's default"))],
    ["License", safeText(license || "not stated")],
    libraries.length > 0 && ["Libraries", libraries.map(libraryRow)],
  ]);
}

function libraryRow([name, address]: readonly [string, string]): Content {
  return html`<div>${named(name, 200)} ${fullAddress(fromHex(address))}</div>`;
}

/** The contract's own file first. */
function filesOf({ path, sources }: VerifiedContract): readonly (readonly [path: string, text: string])[] {
  const others = Object.entries(sources).filter(([file]) => file !== path);
  return [[path, sources[path] ?? ""], ...others];
}

/** One line per entry. */
function abiText(abi: readonly unknown[]): string {
  return `[\n${abi.map((entry) => `  ${JSON.stringify(entry)}`).join(",\n")}\n]`;
}

function constructorSection({ abi, constructorArguments = "0x" }: VerifiedContract): Html | undefined {
  if (constructorArguments === "0x") return undefined;
  const data = fromHex(constructorArguments);
  const declared = abi.filter((entry) => (entry as { readonly type?: string }).type === "constructor");
  const inputs = readAbi(declared).constructorInputs ?? [];
  const values = decodeParameters(
    inputs.map(({ type }) => type),
    data,
  );
  return section("Constructor arguments", html`${values && parameterTable(inputs, values)}${bytesView(data)}`);
}
