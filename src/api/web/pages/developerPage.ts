import { fromHex, quantity } from "../../../chain/encoding/hex.ts";
import { ChainError } from "../../../chain/error.ts";
import { readNativeBalances } from "../../../query/accounts/nativeBalances.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { FundedAccount } from "../../settings.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { Site, WebPage } from "../page.ts";
import { coins } from "../parts/format.ts";
import { copyButton, copyFrom, fullAddress } from "../parts/links.ts";
import { facts, section, table } from "../parts/table.ts";

export const DEVELOPER_PAGES: readonly WebRoute[] = [{ path: "/developers", serve: serveDevelopers }];

/** Coins per request. */
export const FAUCET_COINS = 100n;

async function serveDevelopers(context: WebContext, { origin, isTrusted }: WebRequest): Promise<WebPage> {
  const { site } = context;
  const accounts = (await isTrusted()) ? await context.accounts?.() : undefined;
  const body = html`<h1>Developers</h1>
${endpoints(site, origin)}
${accounts !== undefined && accounts.length > 0 && (await fundedAccounts(context, accounts))}
${snippet("foundry", "foundry", foundry(origin))}
${snippet("hardhat 3", "hardhat", hardhat(site, origin))}
${snippet("viem", "viem", viem(site, origin))}`;
  return { title: "Developers", body, json: "/openapi.json" };
}

function endpoints({ chainName, chainId, coin, hasVerifier, hasRpc }: Site, origin: string): Html {
  const row = (name: string, path: string, note: string) =>
    [
      name,
      html`<code class="whole">${origin}${path}</code>${copyButton(`${origin}${path}`)} <span class="quiet">${note}</span>`,
    ] as const;
  return html`${facts([
    ["Network", html`${chainName}, chain <code>${chainId}</code> (<code>${quantity(chainId)}</code>), coin ${coin}`],
    hasRpc && row("JSON-RPC", "/rpc", "for wallets, libraries and tools"),
    row("Explorer API", "/api/v2", "as Blockscout has it"),
    row("Module and action API", "/api", "as Etherscan has it"),
    row("Exchange API", "/api/v1", "pools, prices and candles"),
    [
      "Documents",
      html`<a href="/docs">documents</a> · <a href="/docs/api">all paths</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/index-status">status</a>`,
    ],
    hasVerifier && ["Verification", html`<a href="/verify">by a form</a>, or by the tools below`],
  ])}
${hasRpc && html`<div class="wallet script" data-add-network data-chain-id="${quantity(chainId)}" data-chain-name="${chainName}" data-coin="${coin}"></div>`}`;
}

async function fundedAccounts({ network, site }: WebContext, accounts: readonly FundedAccount[]): Promise<Html> {
  const addresses = accounts.map(({ address }) => fromHex(address));
  const balances = await readNativeBalances(network, addresses).catch(unlessSilent);
  const rows = accounts.map(({ privateKey }, at) => [
    at,
    fullAddress(addresses[at]!),
    balances === undefined ? "–" : coins(balances[at]!, site.coin),
    privateKey === undefined
      ? "–"
      : html`<details><summary>Show</summary><code>${privateKey}</code>${copyButton(privateKey)}</details>`,
  ]);
  const columns = ["#", "Address", { title: "Balance", isNumber: true }, "Private key"];
  return section(
    "Funded accounts",
    html`<p>They have coins from the start. Everybody knows their keys: never use them on another network.</p>
${table(columns, rows, "")}
<form class="filter" action="/developers/faucet" method="post">
<label for="faucet">Faucet</label>
<input id="faucet" name="address" required maxlength="42" size="46" placeholder="0x…" spellcheck="false" autocomplete="off">
<button type="submit">Send ${FAUCET_COINS} ${site.coin} from the first account</button></form>`,
    html`<span class="tag">only on this machine</span>`,
  );
}

function unlessSilent(error: unknown): undefined {
  if (!(error instanceof ChainError)) throw error;
}

function snippet(title: string, id: string, text: string): Html {
  return section(title, html`<pre class="snippet" id="${id}" tabindex="0">${text}</pre>`, copyFrom(id));
}

const foundry = (origin: string) => `cast block-number --rpc-url ${origin}/rpc

forge create src/Counter.sol:Counter --rpc-url ${origin}/rpc --private-key $KEY --broadcast \\
  --verify --verifier blockscout --verifier-url ${origin}/api/

forge verify-contract 0x… src/Counter.sol:Counter --verifier blockscout --verifier-url ${origin}/api/ --watch`;

const hardhat = ({ chainId, chainName }: Site, origin: string) => `// hardhat.config.ts
import hardhatVerify from "@nomicfoundation/hardhat-verify";
import { configVariable, defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [hardhatVerify],
  solidity: "0.8.28",
  networks: {
    oriel: { type: "http", chainType: "l1", url: "${origin}/rpc", accounts: [configVariable("KEY")] },
  },
  chainDescriptors: {
    ${chainId}: {
      name: ${JSON.stringify(chainName)},
      blockExplorers: {
        blockscout: { name: "Oriel", url: "${origin}", apiUrl: "${origin}/api" },
      },
    },
  },
});

// npx hardhat verify blockscout --network oriel 0x… 42`;

const viem = (
  { chainId, chainName, coin }: Site,
  origin: string,
) => `import { createPublicClient, defineChain, http } from "viem";

const chain = defineChain({
  id: ${chainId},
  name: ${JSON.stringify(chainName)},
  nativeCurrency: { name: ${JSON.stringify(coin)}, symbol: ${JSON.stringify(coin)}, decimals: 18 },
  rpcUrls: { default: { http: ["${origin}/rpc"] } },
  blockExplorers: { default: { name: "Oriel", url: "${origin}", apiUrl: "${origin}/api" } },
});

const client = createPublicClient({ chain, transport: http() });
console.log(await client.getBlockNumber());`;
