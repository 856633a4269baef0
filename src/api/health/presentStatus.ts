import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { UpstreamStatus } from "../../jsonrpc/backend.ts";
import type { Disagreement, IndexStatus } from "../../query/indexStatus.ts";
import type { Verified } from "../../store/audit/verified.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { Omissions } from "../../store/stages/tokens/tables/omissions.ts";
import type { Shape } from "../openapi/values.ts";
import type { AppSettings } from "../settings.ts";
import type { StatusSchema } from "./statusSchema.ts";

export function presentStatus(
  status: IndexStatus,
  settings: AppSettings,
  upstreams?: readonly UpstreamStatus[],
): Shape<typeof StatusSchema> {
  const { head, tip, stages, since, lag, disagreement, indexer, threads, integrity, integrityMode, omissions } = status;
  return {
    chain_id: settings.chainId,
    chain_name: settings.chainName,
    version: settings.version,
    head: head === null ? null : { number: head.number, hash: toHex(head.hash) },
    indexed: tip === undefined ? null : { number: tip.number, hash: toHex(tip.hash), timestamp: tip.timestamp },
    since_block: since,
    lag,
    disagreement: disagreement && presentDisagreement(disagreement),
    forked_at: status.forkedAt,
    digest: tip === undefined ? null : toHex(tip.digest),
    indexer,
    threads: threads.map(({ name, isRunning, restarts, reason }) => ({ name, running: isRunning, restarts, reason })),
    process: status.process ?? null,
    writer: presentWriter(status.writer),
    index_age_seconds: indexAge(status),
    upstreams: upstreams === undefined ? null : upstreams.map(presentUpstream),
    stages: stages.map(({ name, version, block, digest }) => ({ name, version, block, digest: toHex(digest) })),
    omitted_transfers: omissions === undefined ? null : presentOmissions(omissions),
    unlisted_logs: status.unlistedLogs.blocks === 0 ? null : status.unlistedLogs,
    unread_exchanges: status.unreadExchanges.map(({ signature, logs, emitters }) => ({
      ...{ event: signature, logs, emitters: emitters.map((emitter) => checksumAddress(emitter)) },
    })),
    traces: presentTraces(status.traces),
    verification: presentVerified(status.verified),
    integrity_mode: integrityMode,
    integrity,
    totals: tip === undefined || since === null ? null : { blocks: tip.number - since + 1, ...presentTotals(tip) },
    uptime_seconds: Math.floor(process.uptime()),
  };
}

/** Seconds since the process that writes the index last gave a sign of life. */
export function indexAge({ writer }: Pick<IndexStatus, "writer">): number | null {
  return writer === undefined ? null : Math.floor(writer.age);
}

function presentWriter(writer: IndexStatus["writer"]) {
  return writer === undefined ? null : { name: writer.name, active: writer.isActive };
}

function presentUpstream({ latencyMs, ...upstream }: UpstreamStatus) {
  return { ...upstream, latency_ms: latencyMs };
}

function presentOmissions({ blocks, transfers, last }: Omissions) {
  const { block, tokens, busiest } = last;
  return {
    blocks,
    transfers,
    last: { block, transfers: last.transfers, tokens, busiest_token: checksumAddress(busiest) },
  };
}

function presentTraces(traces: IndexStatus["traces"]) {
  if (traces === undefined) return null;
  const { block, calls, untraced, message } = traces;
  return { block, internal_transactions: calls, untraced_transactions: untraced, message };
}

function presentVerified({ rounds, next, damaged, differences, problem }: Verified) {
  const found = { damaged_blocks: damaged.length, first_damaged: damaged[0] ?? null, differences, problem };
  return { rounds, next_block: next, ...found };
}

function presentDisagreement({ number, node, index }: Disagreement) {
  return { number, node_hash: toHex(node), index_hash: toHex(index) };
}

function presentTotals({ totals }: Tip) {
  const { transactions, logs, addresses, contracts, signatures, gasUsed } = totals;
  return { transactions, logs, addresses, contracts, event_signatures: signatures, gas_used: String(gasUsed) };
}
