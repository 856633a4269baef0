import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { findParties } from "../../../query/findParties.ts";
import { readNetEffect } from "../../../query/traces/netEffect.ts";
import type { TransactionDetails } from "../../../query/transactions/transaction.ts";
import { readTransaction } from "../../../query/transactions/transaction.ts";
import type { TransactionCounts } from "../../../query/transactions/transactionCounts.ts";
import { countTransaction } from "../../../query/transactions/transactionCounts.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import type { WebContext, WebRequest, WebRoute } from "../context.ts";
import { expectFound } from "../found.ts";
import type { WebPage } from "../page.ts";
import { parseChoice, parseHash } from "../params.ts";
import { attempt } from "../parts/attempt.ts";
import { bytesView } from "../parts/bytesView.ts";
import { decodedTable } from "../parts/decoded.ts";
import { addressesIn, callsIn, hintsFor } from "../parts/inputHints.ts";
import { netEffect } from "../parts/netEffect.ts";
import { reasonSection } from "../parts/revertReason.ts";
import { summaryCard } from "../parts/summary.ts";
import { section, tabs } from "../parts/table.ts";
import { transferRows } from "../parts/transferRows.ts";
import { transactionChips, transactionFacts } from "./transactionFacts.ts";
import { TRANSACTION_TABS } from "./transactionTabs.ts";

export const TRANSACTION_PAGES: readonly WebRoute[] = [{ path: "/tx/:hash", serve: serveTransaction }];

const NAMES = ["overview", "transfers", "logs", "internal", "state", "trace", "blobs", "authorizations"] as const;

async function serveTransaction(context: WebContext, { parameter, query }: WebRequest): Promise<WebPage> {
  const { network } = context;
  const hash = parseHash(parameter);
  const tab = parseChoice(query, "tab", NAMES);
  const [found, counts, rates] = await Promise.all([
    readTransaction(network, hash),
    countTransaction(network, hash),
    readRates(network),
  ]);
  const details = expectFound(found);
  const path = `/tx/${toHex(hash)}`;
  const rendered =
    tab === "overview"
      ? await overview(context, details, rates, `/api/v2/transactions/${toHex(hash)}`)
      : await attempt(() => TRANSACTION_TABS[tab].render(context, details, query, path));
  const body = html`<div class="title"><h1>Transaction</h1>${transactionChips(details)}</div>
${summaryCard(details, { coin: context.site.coin, rates, names: network.names })}
${tabs(tabsOf(details, counts), tab, path)}
${rendered}`;
  const json = `/api/v2/transactions/${toHex(hash)}${tab === "overview" ? "" : TRANSACTION_TABS[tab].json}`;
  const scope = tab === "overview" ? details.scope : undefined;
  return {
    title: `Transaction ${toHex(hash).slice(0, 12)}…`,
    body,
    json,
    isList: tab !== "overview" && TRANSACTION_TABS[tab].json !== "",
    scope,
    isLive: details.outcome === undefined,
  };
}

function tabsOf({ transaction: tx }: TransactionDetails, counts: TransactionCounts | undefined) {
  const all = [
    { name: "overview", title: "Overview" },
    { name: "transfers", title: "Token transfers", count: counts?.transfers },
    { name: "logs", title: "Logs", count: counts?.logs },
    { name: "internal", title: "Internal", count: counts?.internal },
    { name: "state", title: "State" },
    { name: "trace", title: "Trace" },
  ];
  if (tx.type === 3) all.push({ name: "blobs", title: "Blobs", count: tx.blobVersionedHashes?.length });
  if (tx.type === 4) all.push({ name: "authorizations", title: "Authorizations", count: tx.authorizationList?.length });
  return all;
}

async function overview(
  { site, network }: WebContext,
  details: TransactionDetails,
  rates: Rates,
  json: string,
): Promise<Html> {
  const { transfers, failure, copies } = details;
  const effects = await readNetEffect(network, details);
  const effect =
    effects !== undefined &&
    effects.length > 0 &&
    netEffect(effects, details, { copies, coin: site.coin, rates, names: network.names });
  const moved =
    transfers !== undefined &&
    transfers.transfers.length > 0 &&
    section(
      "Token transfers",
      transferRows(transfers.transfers, transfers.addresses, {
        isOfTransaction: true,
        rates,
        names: network.names,
        copies,
      }),
      transfers.count > transfers.transfers.length && html`<a href="?tab=transfers">All</a>`,
    );
  const all = transactionFacts(details, { site, network }, rates);
  return html`<div class="columns">${effect}<div>${all}</div></div>
${failure && (await reasonSection(failure.reason, json))}${await inputSection(network, details, site.coin, json)}${moved}`;
}

async function inputSection(
  network: WebContext["network"],
  { transaction: tx, decoded, copies, range }: TransactionDetails,
  coin: string,
  json: string,
): Promise<Html | undefined> {
  if (tx.input.length === 0) return undefined;
  const bytes = bytesView(tx.input as Bytes, json);
  if (decoded === undefined) return section("Input", bytes);
  const { names, decoder } = network;
  const held = callsIn(decoded.signature.inputs, decoded.values);
  const by = decoder.deadline();
  const inner = await Promise.all(
    held.map(async ({ value, target = tx.to }) => {
      const call = target === null ? undefined : await decoder.call(target, value, range?.tip, by);
      return call?.isGuess === false ? { value, target, call } : undefined;
    }),
  );
  const known = inner.filter((each) => each !== undefined);
  const called = [tx.to, ...known.map(({ target }) => target)].flatMap((address) => address ?? []);
  const all = [decoded, ...known.map(({ call }) => call)];
  const parties = await findParties(network, [
    ...called,
    ...all.flatMap(({ signature, values }) => addressesIn(signature.inputs, values)),
  ]);
  const context = { ...parties, names, sender: tx.from, coin, copies };
  const calls = new Map(
    known.map(({ value, target, call }) => {
      const table = decodedTable(call, hintsFor({ ...context, to: target, calls: new Map() }));
      return [value, html`<div class="inner">${table}</div>`] as const;
    }),
  );
  const hint = hintsFor({ ...context, to: tx.to, calls });
  return section("Input", html`${decodedTable(decoded, hint)}${bytes}`);
}
