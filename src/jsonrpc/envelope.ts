import { Turn } from "../std/async.ts";
import type { SharedBytes } from "../std/bytes.ts";
import { findJsonFault } from "./jsonFault.ts";
import { numericIds } from "./numericIds.ts";
import type { ResponseBody } from "./responseBody.ts";
import { lengthOf, listOf, ResponseParts, textOf } from "./responseBody.ts";
import { RPC, RpcError } from "./rpcError.ts";

/** A result that is already JSON, sent verbatim. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A result that is already serialized JSON. Held until the response is sent. */
export class JsonBytes {
  readonly shared: SharedBytes;

  constructor(shared: SharedBytes) {
    this.shared = shared;
  }
}

/** Throws an `RpcError` if there is no result. */
type AnswerCall = (method: string, params: unknown[]) => Promise<unknown>;

export interface EnvelopeOptions {
  readonly maxCalls?: number;
  /** Characters of all results; calls past the limit get an error. */
  readonly maxResultLength?: number;
  /** Concurrent calls of a batch; 1 by default. */
  readonly concurrency?: number;
  readonly isOver?: () => boolean;
  /** Receives errors other than `RpcError`, which are hidden from the caller. */
  readonly onInternal?: (error: unknown, method: string) => void;
}

export const MAX_CALLS = 1000;
export const MAX_RESULT = 25_000_000;

/** Like `respond`, with the response as one string. */
export async function answerBody(
  body: string,
  answer: AnswerCall,
  options: EnvelopeOptions = {},
): Promise<string | undefined> {
  const response = await respond(body, answer, options);
  return response === undefined ? undefined : textOf(response);
}

/** Server side of JSON-RPC 2.0. Returns undefined if no response is due. */
export async function respond(
  body: string,
  answer: AnswerCall,
  options: EnvelopeOptions = {},
): Promise<ResponseBody | undefined> {
  const turn = new Turn();
  const fault = findJsonFault(body);
  if (fault !== undefined) return errorText(fault === "deep" ? PARSE_ERROR : TOO_MANY_VALUES);
  await turn.yieldToEventLoop();
  const message = parse(body);
  await turn.yieldToEventLoop();
  if (message === undefined) return errorText(PARSE_ERROR);
  if (Array.isArray(message)) return await answerBatch(message, idsOf(message, body), answer, options);
  return await answerMessage(message, idsOf([message], body)[0]!, answer, options);
}

/** Without an id for errors that precede parsing. */
export function errorText(error: RpcError, id: Id = "null"): string {
  const { code, message, data } = error;
  const head = `{"jsonrpc":"2.0","id":${id === INVALID_ID ? "null" : id},"error":`;
  try {
    return `${head}${JSON.stringify({ code, message, data })}}`;
  } catch {
    return `${head}${JSON.stringify({ code, message })}}`;
  }
}

const PARSE_ERROR = new RpcError(RPC.parse, "parse error");
const INVALID_REQUEST = new RpcError(RPC.invalidRequest, "invalid request");
const EMPTY_BATCH = new RpcError(RPC.invalidRequest, "empty batch");
const BATCH_TOO_LARGE = new RpcError(RPC.invalidRequest, "batch too large");
const TOO_MANY_VALUES = new RpcError(RPC.invalidRequest, "request too large: it has too many values");
const NON_ARRAY = new RpcError(RPC.invalidParams, "non-array args");
const RESPONSE_TOO_LARGE = new RpcError(RPC.responseTooLarge, "response too large");
const TIMED_OUT = new RpcError(RPC.timeout, "request timed out");
const INTERNAL = new RpcError(RPC.internal, "internal error");

async function answerBatch(
  messages: readonly unknown[],
  ids: readonly Id[],
  answer: AnswerCall,
  options: EnvelopeOptions,
): Promise<ResponseBody | undefined> {
  const { maxCalls = MAX_CALLS, maxResultLength = MAX_RESULT, isOver = () => false, concurrency = 1 } = options;
  if (messages.length === 0) return errorText(EMPTY_BATCH);
  if (messages.length > maxCalls) return `[${errorText(BATCH_TOO_LARGE, ids.find(Boolean))}]`;
  const answers = new Array<ResponseBody | undefined>(messages.length);
  const turn = new Turn();
  let [next, length] = [0, 0];
  const work = async () => {
    while (next < messages.length) {
      const index = next++;
      const id = ids[index];
      const refusal = length > maxResultLength ? RESPONSE_TOO_LARGE : isOver() ? TIMED_OUT : undefined;
      const refused = id === undefined ? undefined : refusal && errorText(refusal, id);
      answers[index] = refusal ? refused : await answerMessage(messages[index], id, answer, options);
      length += lengthOf(answers[index] ?? "");
      await turn.yieldToEventLoop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, messages.length) }, work));
  const due = answers.filter((text) => text !== undefined);
  return due.length === 0 ? undefined : listOf(due);
}

interface Request {
  readonly method: string;
  readonly params: unknown;
}

async function answerMessage(
  message: unknown,
  id: Id,
  answer: AnswerCall,
  options: EnvelopeOptions,
): Promise<ResponseBody | undefined> {
  if (!isRequest(message) || id === INVALID_ID) return errorText(INVALID_REQUEST, id);
  const text = await answerRequest(message, id, answer, options);
  return id === undefined ? undefined : text;
}

async function answerRequest(
  { method, params }: Request,
  id: Id,
  answer: AnswerCall,
  options: EnvelopeOptions,
): Promise<ResponseBody> {
  try {
    if (params !== undefined && params !== null && !Array.isArray(params)) throw NON_ARRAY;
    const result = await answer(method, params ?? []);
    const head = `{"jsonrpc":"2.0","id":${id},"result":`;
    return result instanceof JsonBytes ? new ResponseParts([head, result.shared, "}"]) : `${head}${jsonOf(result)}}`;
  } catch (error) {
    if (error instanceof RpcError) return errorText(error, id);
    options.onInternal?.(error, method);
    return errorText(INTERNAL, id);
  }
}

export function jsonOf(result: unknown): string {
  return result instanceof JsonText ? result.text : (JSON.stringify(result) ?? "null");
}

function isRequest(message: unknown): message is Request {
  if (typeof message !== "object" || message === null) return false;
  const { jsonrpc, method } = message as Record<string, unknown>;
  return jsonrpc === "2.0" && typeof method === "string" && method !== "";
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** JSON text of the id; undefined for a notification. */
type Id = string | undefined;

/** An id that is an object or an array cannot be echoed. */
const INVALID_ID = "";

/** Ids as echoed. A number beyond 2^53 keeps its digits. */
function idsOf(messages: readonly unknown[], body: string): Id[] {
  const ids = messages.map(idOf);
  const isExact = (id: unknown) => typeof id !== "number" || Number.isSafeInteger(id);
  if (ids.every(isExact)) return ids.map(idText);
  const written = numericIds(body);
  return ids.map((id, at) => (isExact(id) ? idText(id) : (written.get(at) ?? idText(id))));
}

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null ? (message as { id?: unknown }).id : undefined;
}

function idText(id: unknown): Id {
  return typeof id === "object" && id !== null ? INVALID_ID : JSON.stringify(id);
}
