import { LruCache } from "../../std/maps.ts";

/** To all nodes, to the node with the filter, to any node with shared results, or exactly once. */
type Kind = "sending" | "filter" | "shared" | "other";

const SENDING: ReadonlySet<string> = new Set(["eth_sendRawTransaction", "eth_sendRawTransactionSync"]);

const FILTERS = /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/;

/** Reads: repeatable and shareable. */
const SHARED =
  /^(eth_(get(?!Filter)|call|estimateGas|gasPrice|maxPriority|feeHistory|block|baseFee|chainId|blobBaseFee|createAccess|simulate|syncing|config|capabilities|fill|mining|hashrate|coinbase)|net_|web3_|debug_(trace|get)|trace_|txpool_)/;

const kinds = new LruCache<string, Kind>(1000);

export function kindOf(method: string): Kind {
  const known = kinds.get(method);
  if (known !== undefined) return known;
  const shared = SHARED.test(method) ? "shared" : "other";
  const kind = SENDING.has(method) ? "sending" : FILTERS.test(method) ? "filter" : shared;
  kinds.set(method, kind);
  return kind;
}

/** Records that one node may have before another. */
export const ABSENT_AS_NULL = /^eth_get(Block|Transaction|Uncle|RawTransaction|BlobSidecar)/;
