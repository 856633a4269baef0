import { clip } from "../chain/encoding/hex.ts";
import type { ErrorCode } from "../chain/error.ts";
import { ChainError } from "../chain/error.ts";
import { RPC } from "../jsonrpc/rpcError.ts";
import type { Peer } from "./endpoint.ts";
import type { AnswerHeaders } from "./http/httpHead.ts";

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface Details {
  readonly rpc?: RpcError | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Whether a smaller batch may succeed: retry at once if the size was refused, later if it only may be the cause. */
  readonly shrink?: "now" | "later" | undefined;
  /** Whether no connection could be opened. */
  readonly isUnreached?: boolean;
}

/** A failed call and how to proceed. */
export class UpstreamError extends ChainError {
  readonly rpc: RpcError | undefined;
  readonly retryAfterMs: number | undefined;
  readonly shrink: "now" | "later" | undefined;
  readonly isUnreached: boolean;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(code, message);
    this.name = "UpstreamError";
    this.rpc = details.rpc;
    this.retryAfterMs = details.retryAfterMs;
    this.shrink = details.shrink;
    this.isUnreached = details.isUnreached ?? false;
  }
}

export function closedFailure(peer: Peer): UpstreamError {
  return new UpstreamError("upstream_unavailable", `the connection to the node at ${peer.name} was closed`);
}

/** The certificate chain is not trusted. */
const UNTRUSTED = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Drops the native error, whose properties may contain what was sent. */
export function networkFailure(peer: Peer, error: NodeJS.ErrnoException, isUnreached: boolean): UpstreamError {
  const { code = "unknown error" } = error;
  const message = UNTRUSTED.has(code)
    ? `the node at ${peer.name} has a certificate that this machine does not trust (${code}); if you do, name a file with it in NODE_EXTRA_CA_CERTS`
    : `the node at ${peer.name} cannot be reached (${code})`;
  return new UpstreamError("upstream_unavailable", message, { isUnreached });
}

/** Errors after a valid head may be due to the size of the response. */
export function notHttp(peer: Peer, reason: string, hasHead: boolean): UpstreamError {
  const message = `the node at ${peer.name} does not speak HTTP (${reason})`;
  return new UpstreamError("upstream_invalid", message, hasHead ? { shrink: "later" } : {});
}

export function statusFailure(peer: Peer, status: number, headers: AnswerHeaders): UpstreamError {
  const message = `the node at ${peer.name} answered with HTTP status ${status}`;
  if (status === 413) return new UpstreamError("upstream_rejected", message, { shrink: "now" });
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) {
    return new UpstreamError("upstream_rejected", message);
  }
  const retryAfterMs = parseRetryAfter(headers["retry-after"]);
  const shrink = status === 504 || status === 408 ? { shrink: "later" as const } : {};
  return new UpstreamError("upstream_unavailable", message, {
    ...shrink,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Retry-After is a number of seconds or a date. */
function parseRetryAfter(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const wait = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

const OVERLOAD_CODES = new Set([-32005, -32503, 429, 503]);
const OVERLOAD = [
  /rate.?limit|too many requests|limit (was )?exceeded|exceeded.*(capacity|limit|quota)|throttl/i,
  /time(d)?.?out|deadline exceeded/i,
  /^internal (server )?error|temporar|unavailable|try again|overloaded|busy|bad gateway/i,
];
const NOT_YET =
  /\b(header|block|receipts?|resource)\b.*\bnot (be )?(found|available)|unknown (block|header)|not yet available|syncing/i;
/** Messages that resemble transient ones but are permanent. */
const PERMANENT =
  /execution reverted|more than \d+ (results|logs)|block range|query returned|missing trie node|pruned|\bgas\b/i;
/** Method not found, invalid params, execution reverted. */
const PERMANENT_CODES = new Set([-32601, -32602, 3]);
const TOO_LARGE = /batch|(too|request|response|body|payload|entity).*(large|big)|(size|length).*exceed|exceed.*size/i;

/** Bounds the quadratic time of the patterns. */
export function shortMessage({ message }: RpcError): string {
  return message.slice(0, 1000);
}

/** Whether the node is overloaded, regardless of the call. */
export function isOverload(rpc: RpcError): boolean {
  const [code, message] = [rpc.code, shortMessage(rpc)];
  return !isPermanent(code, message) && (OVERLOAD_CODES.has(code) || OVERLOAD.some((sign) => sign.test(message)));
}

export function isMissing(rpc: RpcError): boolean {
  const [code, message] = [rpc.code, shortMessage(rpc)];
  return !isPermanent(code, message) && (code === -32001 || NOT_YET.test(message));
}

function isPermanent(code: number, message: string): boolean {
  return PERMANENT_CODES.has(code) || PERMANENT.test(message);
}

/** An error page of a proxy, under any status. */
export function isErrorPage(text: string): boolean {
  return /^\s*</.test(text) || (/^\s*[^[{]/.test(text) && OVERLOAD.some((sign) => sign.test(text.slice(0, 500))));
}

/** An embedded chain refuses what would exceed the bound of a response. */
function isLongTrace({ code, message }: RpcError): boolean {
  return code === RPC.responseTooLarge && message.startsWith("the trace is too large");
}

export function rpcFailure(peer: Peer, subject: string, rpc: RpcError): UpstreamError {
  const isTransient = isOverload(rpc) || isMissing(rpc);
  const text = `${clip(peer.redact(rpc.message), 200)} (${rpc.code})`;
  const message = `the node at ${peer.name} ${isTransient ? "cannot answer" : "refused"} ${subject}: ${text}`;
  if (isLongTrace(rpc)) return new UpstreamError("limit_exceeded", message);
  return new UpstreamError(isTransient ? "upstream_unavailable" : "upstream_rejected", message, {
    rpc: JSON.parse(peer.redact(JSON.stringify(rpc))) as RpcError,
    ...(TOO_LARGE.test(shortMessage(rpc)) && { shrink: isTransient ? "later" : "now" }),
  });
}

export function malformed(peer: Peer, what: string): UpstreamError {
  return new UpstreamError("upstream_invalid", `the node at ${peer.name} sent ${what}`);
}
