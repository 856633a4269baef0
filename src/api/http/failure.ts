import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../../chain/error.ts";
import { ChainError, ERROR_CODES } from "../../chain/error.ts";

/** A request that HTTP itself refuses, whatever it asks for. */
export class HttpError extends Error {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, headers: Readonly<Record<string, string>> = {}) {
    super(statusCode === 404 ? "Not found" : (STATUS_CODES[statusCode] ?? "Bad Request"));
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

interface ErrorResponse {
  readonly status: number;
  /** Seconds after which asking again may help. */
  readonly retryAfter?: number;
  /** Without it the error's own text is sent; most may not be, since they may name a node. */
  readonly message?: string;
}

/** What HTTP says of each error. */
export const ERROR_RESPONSES = {
  invalid_argument: { status: 422, message: "Invalid parameter(s)" },
  not_found: { status: 404, message: "Not found" },
  unsupported: { status: 501, message: ERROR_CODES.unsupported },
  limit_exceeded: { status: 413, message: ERROR_CODES.limit_exceeded },
  stage_behind: { status: 503, retryAfter: 30 },
  upstream_unavailable: { status: 503, retryAfter: 2, message: "The node cannot be reached or is overloaded." },
  upstream_rejected: { status: 502, message: "The node refused the call." },
  upstream_invalid: { status: 503, retryAfter: 5, message: "The node answered with data that contradicts itself." },
  wrong_chain: { status: 503, retryAfter: 30, message: ERROR_CODES.wrong_chain },
  chain_reset: { status: 503, retryAfter: 30, message: ERROR_CODES.chain_reset },
  deep_reorg: { status: 503, retryAfter: 30, message: ERROR_CODES.deep_reorg },
  store_locked: { status: 503, retryAfter: 2, message: "The database is in use." },
  store_newer: { status: 503, retryAfter: 30, message: ERROR_CODES.store_newer },
  store_corrupt: { status: 500, message: ERROR_CODES.store_corrupt },
  store_full: { status: 503, retryAfter: 30, message: "The database cannot be written." },
  internal: { status: 500, message: "Internal error" },
} as const satisfies Record<ErrorCode, ErrorResponse>;

/** A failure in the words of HTTP, before an interface gives it its form. */
export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be said of it in public. */
  readonly message: string;
}

/** What HTTP says of an error. */
export function failureOf(error: FastifyError | HttpError | Error): Failure {
  if (error instanceof HttpError) return { status: error.statusCode, headers: error.headers, message: error.message };
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (!(error instanceof ChainError) && status !== undefined && status >= 400 && status < 500) {
    return { status, headers: {}, message: STATUS_CODES[status] ?? "Bad Request" };
  }
  const response: ErrorResponse = ERROR_RESPONSES[error instanceof ChainError ? error.code : "internal"];
  const headers = response.retryAfter === undefined ? undefined : { "retry-after": String(response.retryAfter) };
  return { status: response.status, headers: headers ?? {}, message: response.message ?? error.message };
}

/** The body of a failure, its media type where it is no JSON, and another status where the interface has its own. */
export type FailureForm = (
  failure: Failure,
  error: Error,
) => { readonly status?: number; readonly body: object | string; readonly type?: string };

/** The media type of JSON, as all interfaces send it. */
export const JSON_TYPE = "application/json; charset=utf-8";

export interface AnswerError {
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** The body that it sends. */
  readonly form?: FailureForm | undefined;
}

/** The last stop of every failure: one answer in an interface's form, and one line in the log where the fault is ours. */
export function answerErrorsAs(form: FailureForm): AnswerError {
  const answer = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    const failure = failureOf(error);
    if (failure.status === 500) request.log.error({ err: error }, "request failed");
    const { status = failure.status, body, type = JSON_TYPE } = form(failure, error);
    return reply.code(status).headers(failure.headers).type(type).send(body);
  };
  return Object.assign(answer, { form });
}
