import { clip } from "../chain/encoding/hex.ts";
import { itemAt } from "../std/defined.ts";
import { isObject } from "../std/isObject.ts";
import type { Peer } from "./endpoint.ts";
import type { RpcError } from "./failure.ts";
import { isErrorPage, malformed, rpcFailure, statusFailure, UpstreamError } from "./failure.ts";
import type { Reply } from "./http/connection.ts";

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  /** The parameters as JSON, where they were written already. */
  readonly paramsText?: string;
}

export type Outcome = { readonly result: unknown } | { readonly error: UpstreamError };

/** Ids run up from `firstId`. A single call is not sent as a batch: some nodes know none. */
export function encodeCalls(calls: readonly Call[], firstId: number): string {
  const requests = calls.map((call, index) => encodeCall(call, firstId + index));
  return requests.length === 1 ? itemAt(requests, 0) : `[${requests.join(",")}]`;
}

function encodeCall({ method, params, paramsText = JSON.stringify(params) }: Call, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${paramsText}}`;
}

/** A result as the node spelled it, and what that is. */
export interface SpelledResult {
  readonly text: string;
  readonly value: unknown;
}

/** The result in a reply that begins as nodes begin theirs: nothing but one value may follow. Undefined in any other. */
export function spelledResult(reply: string, id: number): SpelledResult | undefined {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`;
  if (!reply.startsWith(head)) return undefined;
  const text = reply.slice(head.length, reply.lastIndexOf("}"));
  const value = parseJson(text);
  return value === undefined || !/^\s*$/.test(reply.slice(head.length + text.length + 1)) ? undefined : { text, value };
}

/** The JSON of a reply, or the failure that its status or its form is. */
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

/** What became of each call, matched by id alone; throws if the answer is one failure of them all. */
export function matchAnswers(peer: Peer, calls: readonly Call[], firstId: number, body: unknown): Outcome[] {
  const answers: readonly unknown[] = Array.isArray(body) ? body : [body];
  const outcomes = new Array<Outcome | undefined>(calls.length);
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

function readAnswer(peer: Peer, call: Call, answer: Record<string, unknown>): Outcome {
  if (isRpcError(answer.error)) return { error: rpcFailure(peer, call.method, answer.error) };
  const hasError = answer.error !== undefined && answer.error !== null;
  if (!hasError && answer.result !== undefined) return { result: answer.result };
  const shown = show(peer, hasError ? answer.error : answer);
  return { error: malformed(peer, `neither a result nor an error to ${call.method}: ${shown}`) };
}

/** One error for a whole batch is about the batch, unless the node is only overloaded. */
function generalFailure(peer: Peer, calls: readonly Call[], error: RpcError): UpstreamError {
  if (calls.length === 1) return rpcFailure(peer, itemAt(calls, 0).method, error);
  const failure = rpcFailure(peer, `a batch of ${calls.length} calls`, error);
  if (failure.shrink !== undefined || failure.code === "upstream_unavailable") return failure;
  return new UpstreamError(failure.code, failure.message, { shrink: "now", ...(failure.rpc && { rpc: failure.rpc }) });
}

function twice(peer: Peer, call: Call): Outcome {
  return { error: malformed(peer, `two answers to one ${call.method}`) };
}

function missing(peer: Peer, call: Call): UpstreamError {
  return malformed(peer, `no answer to ${call.method}`);
}

const OUR_FAULT = new Set([-32600, -32601, -32602]);

/** Some nodes put a proper JSON-RPC error under 400, 404 or 500. */
function isAnswerDespite(status: number, json: unknown): boolean {
  if ([401, 403, 413, 429].includes(status)) return false;
  if (!isObject(json) || !isRpcError(json.error)) return false;
  return status < 500 ? status >= 400 : OUR_FAULT.has(json.error.code);
}

function parseJson(text: string): unknown {
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
