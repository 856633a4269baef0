import { blo } from "blo";
import { renderSVG } from "uqr";
import { wellKnownAddress } from "../../../chain/contract/wellKnownAddresses.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import type { Account } from "../../../query/accounts/account.ts";
import { readAccount } from "../../../query/accounts/account.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parseAddress, parseChoice } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { named } from "../parts/format.ts";
import { addressName, COPY_MARK, copyButton } from "../parts/links.ts";
import { isFiltered, readListFields, restPathsOf } from "../parts/listFilter.ts";
import { tabs } from "../parts/table.ts";
import { addressOverview, readHoldings } from "./addressOverview.ts";
import { ADDRESS_TABS } from "./addressTabs.ts";

export const ADDRESS_PAGES: readonly WebRoute[] = [{ path: "/address/:address", serve: serveAddress }];

const NAMES = [
  "transactions",
  "transfers",
  "tokens",
  "positions",
  "internal",
  "balance",
  "logs",
  "blocks",
  "withdrawals",
  "contract",
  "read",
  "write",
  "read-proxy",
  "write-proxy",
] as const;

async function serveAddress(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const address = parseAddress(parameter);
  const tab = parseChoice(query, "tab", NAMES);
  const { network } = context;
  const [account, holdings] = await Promise.all([readAccount(network, address), readHoldings(network, address)]);
  const text = checksumAddress(address);
  const path = `/address/${text}`;
  const [overview, rendered] = await Promise.all([
    addressOverview(context, account, holdings, { path, hasPortfolio: tab === "transactions" }),
    attempt(() => ADDRESS_TABS[tab].render(context, account, query, path)),
  ]);
  const body = html`${heading(account, text)}
${overview}
${tabs(tabsOf(account, tab === "positions" || hasPools(network)), tab, path)}
${rendered}`;
  const list = ADDRESS_TABS[tab].json(text);
  const isList = list.startsWith("/api/v2/addresses/");
  const fields = readListFields(query);
  const paths = isList && isFiltered(fields) ? restPathsOf(list, fields) : { json: list };
  return { title: `${kindOf(account)} ${text.slice(0, 10)}…`, body, ...paths, isList };
}

function heading(account: Account, text: string): Html {
  const { address, addresses } = account;
  const { name, hasCopy } = addressName(address, addresses.get(address));
  return html`<div class="identity">
<img src="${blo(text as `0x${string}`)}" width="48" height="48" alt="">
<div><h1>${name ? named(name) : kindOf(account)}${hasCopy && COPY_MARK}</h1>${name && html`<p class="quiet kind">${kindOf(account)}</p>`}
<p class="whole"><code>${text}</code>${copyButton(text)}</p></div>
<details class="qr"><summary>QR code</summary><img src="data:image/svg+xml,${encodeURIComponent(renderSVG(text))}" width="180" height="180" alt="QR code of ${text}"></details>
</div>`;
}

/** Kind of the account, beside its name. */
function kindOf({ address, addresses, hasCode, proxy, token }: Account): string {
  const info = addresses.get(address);
  if (proxy?.type === "eip7702") return "Delegated account";
  if (info?.label?.kind === "pool") return "Pool";
  const known = info?.label?.kind ?? wellKnownAddress(address)?.kind;
  if (known === "precompile") return "Precompile";
  if (known === "system") return "System contract";
  if (!hasCode) return "Address";
  const words = [info?.isVerified && "Verified", proxy ? "proxy" : token === undefined ? "contract" : "token contract"];
  const text = words.filter(Boolean).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const hasPools = ({ names }: WebContext["network"]): boolean => names.pools().next().done !== true;

function tabsOf({ counts, hasCode, proxy }: Account, isOfExchange: boolean) {
  return [
    { name: "transactions", title: "Transactions", count: counts.transactions },
    { name: "transfers", title: "Token transfers", count: counts.transfers },
    { name: "tokens", title: "Tokens", count: counts.assets },
    ...(isOfExchange ? [{ name: "positions", title: "Positions" }] : []),
    { name: "internal", title: "Internal", count: counts.internal },
    { name: "balance", title: "Balance" },
    { name: "logs", title: "Logs", count: counts.logs },
    { name: "blocks", title: "Blocks", count: counts.minedBlocks },
    { name: "withdrawals", title: "Withdrawals" },
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
