import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../../chain/error.ts";
import { ChainError, ERROR_CODES } from "../../chain/error.ts";
import { ParameterError } from "./params.ts";

interface Answer {
  readonly status: number;
  /** Seconds after which asking again may help. */
  readonly retryAfter?: number;
  /** Without it the error's own text is sent; most may not be, since they may name a node. */
  readonly message?: string;
}

/** What the explorer REST API answers for each error. */
export const REST_ERRORS = {
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
} as const satisfies Record<ErrorCode, Answer>;

/** The last stop of every failure: one answer, and one line in the log where the fault is ours. */
export function answerError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof ParameterError) return answerParameter(error, reply);
  const status = (error as Partial<FastifyError>).statusCode;
  if (!(error instanceof ChainError) && status !== undefined && status >= 400 && status < 500) {
    return reply.code(status).send({ message: STATUS_CODES[status] ?? "Bad Request" });
  }
  const answer: Answer = REST_ERRORS[error instanceof ChainError ? error.code : "internal"];
  if (answer.status === 500) request.log.error({ err: error }, "request failed");
  if (answer.retryAfter !== undefined) reply.header("retry-after", answer.retryAfter);
  return reply.code(answer.status).send({ message: answer.message ?? error.message });
}

function answerParameter({ message, parameter }: ParameterError, reply: FastifyReply): FastifyReply {
  const { status, message: title } = REST_ERRORS.invalid_argument;
  const fault = { title: "Invalid value", source: { pointer: `/${parameter}` }, detail: message };
  return reply.code(status).send({ message: title, errors: [fault] });
}

export function notFound(): ChainError {
  return new ChainError("not_found", "Not found");
}
