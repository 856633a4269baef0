import type { UpstreamStatus } from "../../../jsonrpc/backend.ts";
import type { IndexStatus } from "../../../query/indexStatus.ts";
import { readIndexStatus, reasonNotReady } from "../../../query/indexStatus.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { COSTS } from "../../http/rateLimit.ts";
import type { WebContext, WebRoute } from "../context.ts";
import type { WebPage } from "../page.ts";
import { count, figure, safeText, time } from "../parts/format.ts";
import { blockLink, wholeHash } from "../parts/links.ts";
import { counted } from "../parts/rows.ts";
import { facts, section, table } from "../parts/table.ts";
import { tiles } from "../parts/tiles.ts";

export const STATUS_PAGES: readonly WebRoute[] = [{ path: "/index-status", cost: COSTS.record, serve: serveStatus }];

async function serveStatus({ network, rpc, site }: WebContext): Promise<WebPage> {
  const status = await readIndexStatus(network);
  const reason = reasonNotReady(status, network.node !== undefined);
  const state =
    reason === undefined
      ? html`<p class="notice good">The index is up to date.</p>`
      : html`<p class="notice">Not up to date: ${safeText(reason, 300)}.</p>`;
  const upstreams = rpc?.status?.().upstreams;
  const body = html`<h1>Status of ${site.chainName}</h1>
<div data-live-part="status">${state}${overview(status)}${details(status, site)}</div>
${section("Parts of the index", stages(status))}
${upstreams !== undefined && section("Nodes", nodes(upstreams))}`;
  return { title: "Status", body, json: "/status?format=json", isLive: true };
}

function overview({ head, tip, lag, indexer, verified }: IndexStatus): Html {
  return tiles([
    {
      title: "Newest indexed block",
      value: tip === undefined ? "none" : blockLink(tip.number),
      note: tip && time(tip.timestamp),
    },
    {
      title: "Newest block of the node",
      value: head === null ? "unknown" : figure(head.number),
      note: lag === null ? "the node does not answer" : lag === 0 ? "nothing is missing" : `${count(lag)} behind`,
    },
    { title: "Indexer", value: indexer.state },
    {
      title: "Blocks verified again",
      value: verified.damaged.length === 0 ? "all right" : counted(verified.damaged.length, "damaged block"),
      note: `${counted(verified.rounds, "round")} over all blocks`,
    },
  ]);
}

function details(status: IndexStatus, { chainId, version }: WebContext["site"]): Html {
  const { tip, since, indexer, disagreement, forkedAt, tokensDue, omissions, unlistedLogs, traces, threads } = status;
  const restarted = threads.filter(({ restarts }) => restarts > 0);
  return facts([
    ["Chain", html`${figure(chainId)}`],
    ["Program", `Oriel ${version}, running for ${durationText(process.uptime())}`],
    since !== null && ["First indexed block", blockLink(since)],
    tip !== undefined && ["Hash of the newest", wholeHash(tip.hash)],
    indexer.message !== undefined && ["The indexer says", safeText(indexer.message, 500)],
    disagreement !== null && ["Other block at the node", html`block ${figure(disagreement.number)}`],
    forkedAt !== null && ["Last block in common", figure(forkedAt)],
    traces?.message != null && ["Traces wait", safeText(traces.message, 500)],
    traces !== undefined && traces.untraced > 0 && ["Not traced", counted(traces.untraced, "transaction")],
    tokensDue > 0 && ["Tokens to be asked", figure(tokensDue)],
    omissions !== undefined && [
      "Transfers left out",
      html`${figure(omissions.transfers)} in ${counted(omissions.blocks, "block")}`,
    ],
    unlistedLogs.blocks > 0 && ["Logs in no list", figure(unlistedLogs.logs)],
    ...restarted.map(
      ({ name, restarts, reason }) =>
        [`Restarts of the ${name}`, html`${figure(restarts)}${reason && html` ${safeText(reason, 300)}`}`] as const,
    ),
  ]);
}

const STAGE_TITLES: Readonly<Record<string, string>> = {
  core: "Blocks, transactions and logs",
  tokens: "Tokens, transfers and balances",
  exchange: "Pools and prices",
  traces: "Internal transactions",
  native_balances: "Balances of the coin",
};

function stages({ stages: all, tip }: IndexStatus): Html {
  const rows = all.map(({ name, block }) => [
    STAGE_TITLES[name] ?? name,
    block < 0 ? "–" : figure(block),
    tip === undefined || block >= tip.number ? "up to date" : `${count(tip.number - block)} behind`,
  ]);
  const columns = [{ title: "Part" }, { title: "Block", isNumber: true, card: "end" as const }, { title: "State" }];
  return table(columns, rows, "Nothing is indexed yet.");
}

function nodes(upstreams: readonly UpstreamStatus[]): Html {
  const rows = upstreams.map(({ name, state, reason, head, latencyMs, requests, failures }) => [
    safeText(name, 100),
    html`<span class="status ${state === "ok" ? "ok" : "failed"}">${state}</span>${reason && html` ${safeText(reason, 200)}`}`,
    head === null ? "–" : figure(head),
    latencyMs === null ? "–" : `${Math.round(latencyMs)} ms`,
    figure(requests),
    figure(failures),
  ]);
  const numbers = ["Newest block", "Response", "Requests", "Failures"].map((title) => ({ title, isNumber: true }));
  return table(["Node", { title: "State", card: "end" }, ...numbers], rows, "There is no node.");
}

function durationText(seconds: number): string {
  if (seconds < 7200) return counted(Math.floor(seconds / 60), "minute");
  return seconds < 172_800 ? counted(Math.floor(seconds / 3600), "hour") : counted(Math.floor(seconds / 86_400), "day");
}
