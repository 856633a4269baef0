import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listTransactionTransfers } from "../../../query/tokens/transfers.ts";
import type { TreeCall } from "../../../query/traces/callTree.ts";
import { readCallTree } from "../../../query/traces/callTree.ts";
import { listTransactionInternalTransactions } from "../../../query/traces/internalTransactions.ts";
import { listTransactionLogs } from "../../../query/transactions/logs.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest } from "../context.ts";
import { expectFound } from "../found.ts";
import { parsePage } from "../params.ts";
import { callTree } from "../parts/callTree.ts";
import { figure } from "../parts/format.ts";
import { logList } from "../parts/logList.ts";
import { reasonLine } from "../parts/revertReason.ts";
import { pager, table } from "../parts/table.ts";
import { internalRows, transferRows } from "../parts/transferRows.ts";
import type { ValuesOf } from "../parts/valueHints.ts";
import { valueHints } from "../parts/valueHints.ts";
import { stateTab } from "./stateTab.ts";

interface TransactionTab {
  /** Path of the same data in the REST API, below the transaction. */
  readonly json: string;
  readonly render: (
    context: WebContext,
    details: TransactionDetails,
    query: WebRequest["query"],
    path: string,
  ) => Promise<Html>;
}

const LOGS = 25;

const CALLS = 500;

export const TRANSACTION_TABS = {
  transfers: { json: "/token-transfers", render: transfers },
  logs: { json: "/logs", render: logs },
  internal: { json: "/internal-transactions", render: internal },
  state: { json: "/state-changes", render: stateTab },
  trace: { json: "/raw-trace", render: trace },
  blobs: { json: "/blobs", render: blobs },
  authorizations: { json: "", render: authorizations },
} as const satisfies Record<string, TransactionTab>;

async function transfers(...[{ network }, { transaction, copies }, query, path]: Parameters<TransactionTab["render"]>) {
  const [found, rates] = await Promise.all([
    listTransactionTransfers(network, transaction.hash, parsePage(query)),
    readRates(network),
  ]);
  const page = expectFound(found);
  const options = { isOfTransaction: true, rates, names: network.names, copies };
  return html`${transferRows(page.transfers, page.addresses, options)}
${pager(page.info, path, { tab: "transfers" })}`;
}

async function logs(...[{ network, site }, { transaction }, query, path]: Parameters<TransactionTab["render"]>) {
  const page = expectFound(await listTransactionLogs(network, transaction.hash, parsePage(query, LOGS)));
  return html`${await logList(network, page, { coin: site.coin })}${pager(page.info, path, { tab: "logs" })}`;
}

async function internal(...[{ network, site }, { transaction }, query, path]: Parameters<TransactionTab["render"]>) {
  const [found, rates] = await Promise.all([
    listTransactionInternalTransactions(network, transaction.hash, parsePage(query)),
    readRates(network),
  ]);
  const page = expectFound(found);
  return html`${internalRows(page.calls, page.addresses, { rates, names: network.names, coin: site.coin })}${pager(page.info, path, { tab: "internal" })}`;
}

async function trace(
  ...[{ network, site }, { transaction, failure }, query, path]: Parameters<TransactionTab["render"]>
) {
  const tree = expectFound(await readCallTree(network, transaction.hash, parsePage(query, CALLS)));
  const reason = failure && failure.reason !== null ? reasonLine(failure.reason) : undefined;
  const hintOf = await valueHints(network, tree.roots.flatMap(valuesIn), { coin: site.coin });
  return html`${callTree(tree, { coin: site.coin, names: network.names, reason, hintOf })}${pager(tree.info, path, { tab: "trace" })}`;
}

const valuesIn = (call: TreeCall): ValuesOf[] => [
  ...(call.to === undefined
    ? []
    : [{ contract: call.to, values: [call.inputs, call.outputs].filter((each) => each !== undefined) }]),
  ...call.calls.flatMap(valuesIn),
];

async function blobs(...[, { transaction }]: Parameters<TransactionTab["render"]>) {
  const rows = (transaction.blobVersionedHashes ?? []).map((name, at) => [
    figure(at),
    html`<a href="/blob/${toHex(name)}"><code>${toHex(name)}</code></a>`,
  ]);
  return table(["#", "Versioned hash"], rows, "It has no blobs.");
}

async function authorizations(...[, { transaction, authorizations: outcomes }]: Parameters<TransactionTab["render"]>) {
  const rows = (transaction.authorizationList ?? []).map((entry, at) => {
    const { authority, status } = outcomes[at] ?? {};
    const [delegate, signer] = [checksumAddress(entry.address), authority && checksumAddress(authority)];
    return [
      signer ? html`<a href="/address/${signer}"><code>${signer}</code></a>` : "unknown",
      html`<a href="/address/${delegate}"><code>${delegate}</code></a>`,
      html`${uintToBigInt(entry.chainId)}`,
      html`${uintToBigInt(entry.nonce)}`,
      status === undefined ? "–" : html`<span class="status ${status === "ok" ? "ok" : "failed"}">${status}</span>`,
    ];
  });
  return table(["Account", "Delegates to", "Chain", "Nonce", "Status"], rows, "It has no authorizations.");
}
