import type { ListedContract } from "../../../query/contracts/verifiedContracts.ts";
import { listVerifiedContracts, NEWEST_FIRST } from "../../../query/contracts/verifiedContracts.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { parsePage } from "../params.ts";
import { coins, figure, named, time } from "../parts/format.ts";
import { addressLink } from "../parts/links.ts";
import type { Column } from "../parts/table.ts";
import { pager, table } from "../parts/table.ts";

export const CONTRACT_PAGES: readonly WebRoute[] = [{ path: "/verified-contracts", serve: serveContracts }];

const COLUMNS: Column[] = [
  { title: "Contract" },
  { title: "Address", card: "plain" },
  { title: "Compiler", card: "plain" },
  { title: "License", card: "plain" },
  { title: "Balance", isNumber: true },
  { title: "Transactions", isNumber: true },
  { title: "Verified", card: "end" },
];

async function serveContracts({ network, site }: WebContext, { query }: WebRequest): Promise<WebPage> {
  const { contracts, addresses, info } = await listVerifiedContracts(network, NEWEST_FIRST, parsePage(query));
  const rows = contracts.map((contract) => [
    html`${named(contract.name)}${contract.match === "partial" && PARTIAL}`,
    addressLink(contract.address, addresses),
    compilerOf(contract),
    contract.license || "–",
    contract.balance === undefined ? "–" : coins(contract.balance, site.coin),
    figure(contract.transactions),
    time(contract.verified),
  ]);
  const verify = site.hasVerifier && html`<p><a href="/verify">Verify a contract</a></p>`;
  const body = html`<h1>Verified contracts</h1>
${verify}
${table(COLUMNS, rows, "No contract is verified yet.")}
${pager(info, "/verified-contracts")}`;
  return { title: "Verified contracts", body, json: "/api/v2/smart-contracts", isList: true };
}

const PARTIAL = html` <span class="tag" title="The source is the contract's but for its metadata: comments or names may be others.">partial</span>`;

function compilerOf({ language, compiler, optimized }: ListedContract): string {
  const version = compiler.split("+")[0];
  return `${language} ${version}${optimized ? ", optimized" : ""}`;
}
