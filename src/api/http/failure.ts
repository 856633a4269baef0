import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../../chain/error.ts";
import { ChainError, ERROR_CODES } from "../../chain/error.ts";

/** A request that HTTP itself rejects. */
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
  /** Seconds. */
  readonly retryAfter?: number;
  /** Overrides the error's own text, which may name a node. */
  readonly message?: string;
}

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
  store_unavailable: { status: 503, retryAfter: 2, message: "The database cannot be reached or is overloaded." },
  store_changed: { status: 503, retryAfter: 2, message: ERROR_CODES.store_changed },
  internal: { status: 500, message: "Internal error" },
} as const satisfies Record<ErrorCode, ErrorResponse>;

/** An error as HTTP status and message, before an interface formats it. */
export interface HttpFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Safe to disclose. */
  readonly message: string;
}

export function failureOf(error: FastifyError | HttpError | Error): HttpFailure {
  if (error instanceof HttpError) return { status: error.statusCode, headers: error.headers, message: error.message };
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (!(error instanceof ChainError) && status !== undefined && status >= 400 && status < 500) {
    return { status, headers: {}, message: STATUS_CODES[status] ?? "Bad Request" };
  }
  const response: ErrorResponse = ERROR_RESPONSES[error instanceof ChainError ? error.code : "internal"];
  const headers = response.retryAfter === undefined ? undefined : { "retry-after": String(response.retryAfter) };
  return { status: response.status, headers: headers ?? {}, message: response.message ?? error.message };
}

export type FailureForm = (
  failure: HttpFailure,
  error: Error,
) => { readonly status?: number; readonly body: object | string; readonly type?: string };

export const JSON_TYPE = "application/json; charset=utf-8";

export interface AnswerError {
  (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply;
  readonly form?: FailureForm | undefined;
}

/** Final error handler: formats the response and logs internal errors. */
export function answerErrorsAs(form: FailureForm): AnswerError {
  const answer = (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    const failure = failureOf(error);
    if (failure.status === 500) request.log.error({ err: error }, "request failed");
    const { status = failure.status, body, type = JSON_TYPE } = form(failure, error);
    return reply.code(status).headers(failure.headers).type(type).send(body);
  };
  return Object.assign(answer, { form });
}
