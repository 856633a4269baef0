import { clip } from "../chain/encoding/hex.ts";
import { isObject, itemAt } from "../std/values.ts";
import type { Peer } from "./endpoint.ts";
import type { RpcError } from "./failure.ts";
import { isErrorPage, malformed, rpcFailure, statusFailure, UpstreamError } from "./failure.ts";
import type { Reply } from "./http/connection.ts";

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Parameters already serialized. */
  readonly paramsText?: string;
}

export type CallResult = { readonly result: unknown } | { readonly error: UpstreamError };

/** Ids count up from `firstId`. A single call is not a batch, which some nodes do not support. */
export function encodeCalls(calls: readonly Call[], firstId: number): string {
  const requests = calls.map((call, index) => encodeCall(call, firstId + index));
  return requests.length === 1 ? itemAt(requests, 0) : `[${requests.join(",")}]`;
}

function encodeCall({ method, params, paramsText = JSON.stringify(params) }: Call, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${paramsText}}`;
}

export interface SpelledResult {
  readonly text: string;
  readonly value: unknown;
}

/** Fast path: slices the result out of a reply with the usual prefix. Undefined for any other form. */
export function spelledResult(reply: string, id: number): SpelledResult | undefined {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`;
  if (!reply.startsWith(head)) return undefined;
  const text = reply.slice(head.length, reply.lastIndexOf("}"));
  const value = parseJson(text);
  return value === undefined || !/^\s*$/.test(reply.slice(head.length + text.length + 1)) ? undefined : { text, value };
}

/** Throws if the status or the form is a failure. */
export function parseReply(peer: Peer, { status, headers, text }: Reply): unknown {
  const json = parseJson(text);
  if (status !== 200 && !isAnswerDespite(status, json)) throw statusFailure(peer, status, headers);
  if (json !== undefined) return json;
  if (isErrorPage(text)) {
    throw new UpstreamError("upstream_unavailable", `the node at ${peer.name} sent an error page`);
  }
  const problem = text === "" ? "an empty body" : `no JSON: ${clip(peer.redact(text.slice(0, 1000)))}`;
  throw malformed(peer, problem);
}

/** Matches responses by id. Throws if the body is one error for all calls. */
export function matchAnswers(peer: Peer, calls: readonly Call[], firstId: number, body: unknown): CallResult[] {
  const answers: readonly unknown[] = Array.isArray(body) ? body : [body];
  const outcomes = new Array<CallResult | undefined>(calls.length);
  let general: UpstreamError | undefined;
  for (const answer of answers) {
    if (!isObject(answer)) throw malformed(peer, `an answer that is no object: ${show(peer, answer)}`);
    const hasId = typeof answer.id === "number" || typeof answer.id === "string";
    const index = hasId ? Number(answer.id) - firstId : -1;
    const call = calls[index];
    if (call !== undefined) {
      outcomes[index] = outcomes[index] === undefined ? readAnswer(peer, call, answer) : twice(peer, call);
    } else if (!hasId && isRpcError(answer.error)) {
      general = generalFailure(peer, calls, answer.error);
    }
  }
  if (general !== undefined && outcomes.every((outcome) => outcome === undefined)) throw general;
  return calls.map((call, index) => outcomes[index] ?? { error: general ?? missing(peer, call) });
}

function readAnswer(peer: Peer, call: Call, answer: Record<string, unknown>): CallResult {
  if (isRpcError(answer.error)) return { error: rpcFailure(peer, call.method, answer.error) };
  const hasError = answer.error !== undefined && answer.error !== null;
  if (!hasError && answer.result !== undefined) return { result: answer.result };
  const shown = show(peer, hasError ? answer.error : answer);
  return { error: malformed(peer, `neither a result nor an error to ${call.method}: ${shown}`) };
}

/** A single error for a batch concerns the batch, unless it is an overload. */
function generalFailure(peer: Peer, calls: readonly Call[], error: RpcError): UpstreamError {
  if (calls.length === 1) return rpcFailure(peer, itemAt(calls, 0).method, error);
  const failure = rpcFailure(peer, `a batch of ${calls.length} calls`, error);
  if (failure.shrink !== undefined || failure.code === "upstream_unavailable") return failure;
  return new UpstreamError(failure.code, failure.message, { shrink: "now", ...(failure.rpc && { rpc: failure.rpc }) });
}

function twice(peer: Peer, call: Call): CallResult {
  return { error: malformed(peer, `two answers to one ${call.method}`) };
}

function missing(peer: Peer, call: Call): UpstreamError {
  return malformed(peer, `no answer to ${call.method}`);
}

const OUR_FAULT = new Set([-32600, -32601, -32602]);

/** Some nodes send JSON-RPC errors with status 400, 404 or 500. */
function isAnswerDespite(status: number, json: unknown): boolean {
  if ([401, 403, 413, 429].includes(status)) return false;
  if (!isObject(json) || !isRpcError(json.error)) return false;
  return status < 500 ? status >= 400 : OUR_FAULT.has(json.error.code);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRpcError(value: unknown): value is RpcError {
  return isObject(value) && typeof value.code === "number" && typeof value.message === "string";
}

function show(peer: Peer, value: unknown): string {
  return clip(peer.redact(JSON.stringify(value) ?? "nothing"));
}
