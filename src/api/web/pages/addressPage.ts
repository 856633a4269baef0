import { blo } from "blo";
import { renderSVG } from "uqr";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Account } from "../../../query/accounts/account.ts";
import { readAccount } from "../../../query/accounts/account.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { figure, named } from "../parts/format.ts";
import { addressLink, copyButton, fullAddress, tokenLink, transactionLink } from "../parts/links.ts";
import { valuedCoins } from "../parts/money.ts";
import { facts, tabs } from "../parts/table.ts";
import { ADDRESS_TABS } from "./addressTabs.ts";

export const ADDRESS_PAGES: readonly WebRoute[] = [{ path: "/address/:address", serve: serveAddress }];

const NAMES = [
  "transactions",
  "transfers",
  "tokens",
  "internal",
  "balance",
  "logs",
  "blocks",
  "contract",
  "read",
  "write",
  "read-proxy",
  "write-proxy",
] as const;

async function serveAddress(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const address = parseAddress(parameter);
  const tab = parseChoice(query, "tab", NAMES);
  const [account, rates] = await Promise.all([readAccount(context.network, address), readRates(context.network)]);
  const text = checksumAddress(address);
  const path = `/address/${text}`;
  const rendered = await attempt(() => ADDRESS_TABS[tab].render(context, account, query, path));
  const body = html`${heading(account, text)}
${overview(context, account, rates)}
${tabs(tabsOf(account), tab, path)}
${rendered}`;
  return {
    title: `${account.hasCode && account.proxy?.type !== "eip7702" ? "Contract" : "Address"} ${text.slice(0, 10)}…`,
    body,
    json: `/api/v2/${ADDRESS_TABS[tab].json(text)}`,
    isList: ADDRESS_TABS[tab].json(text).startsWith("addresses/"),
  };
}

function heading({ address, addresses, hasCode, proxy }: Account, text: string): Html {
  const name = addresses.get(address)?.name;
  return html`<div class="identity">
<img src="${blo(text as `0x${string}`)}" width="48" height="48" alt="">
<div><h1>${name ? named(name) : hasCode && proxy?.type !== "eip7702" ? "Contract" : "Address"}</h1>
<p class="whole"><code>${text}</code>${copyButton(text)}</p></div>
<details class="qr"><summary>QR code</summary><img src="data:image/svg+xml,${encodeURIComponent(renderSVG(text))}" width="180" height="180" alt="QR code of ${text}"></details>
</div>`;
}

function overview({ site }: WebContext, account: Account, rates: Rates): Html {
  const { account: state, creation, proxy, implementations, token, addresses, counts } = account;
  return facts([
    state !== undefined && ["Balance", valuedCoins(state.balance, site.coin, rates)],
    token !== undefined && ["Token", tokenLink(token)],
    creation !== undefined && [
      "Created by",
      html`${addressLink(creation.creator, addresses)} in ${transactionLink(creation.transaction)}${creation.status === "selfdestructed" && html` <span class="tag">destroyed since</span>`}`,
    ],
    proxy !== null &&
      proxy !== undefined && [
        proxy.type === "eip7702" ? "Delegates to" : "Proxy of",
        proxy.implementations.map((each) => html`${fullAddress(each, implementations)} `),
      ],
    ["Transactions", figure(counts.transactions)],
    counts.transfers !== null && ["Token transfers", figure(counts.transfers)],
  ]);
}

function tabsOf({ counts, hasCode, proxy }: Account) {
  return [
    { name: "transactions", title: "Transactions", count: counts.transactions },
    { name: "transfers", title: "Token transfers", count: counts.transfers },
    { name: "tokens", title: "Tokens", count: counts.assets },
    { name: "internal", title: "Internal", count: counts.internal },
    { name: "balance", title: "Balance" },
    { name: "logs", title: "Logs", count: counts.logs },
    { name: "blocks", title: "Blocks", count: counts.minedBlocks },
    ...(hasCode ? CONTRACT_TABS : []),
    ...(hasCode && proxy && proxy.implementations.length > 0 ? PROXY_TABS : []),
  ];
}

const CONTRACT_TABS = [
  { name: "contract", title: "Contract" },
  { name: "read", title: "Read" },
  { name: "write", title: "Write" },
];

const PROXY_TABS = [
  { name: "read-proxy", title: "Read as proxy" },
  { name: "write-proxy", title: "Write as proxy" },
];
